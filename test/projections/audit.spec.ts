import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { auditGroup } from '../../projections/audit/audit.projection.js';
import {
  auditPosition,
  eventsWithIds,
  MAX_CANDIDATES,
  newestEvents,
} from '../../projections/audit/audit.read-model.js';
import type { AuditCursor, AuditSearch, SubjectKind } from '../../projections/audit/audit.read-model.js';
import { busiestApplications } from '../../projections/audit/activity.read-model.js';
import { peopleOf } from '../../projections/audit/event.read-model.js';
import { eventsAfter, followFrom } from '../../projections/audit/follow.read-model.js';
import type { FollowCursor } from '../../projections/audit/follow.read-model.js';
import { reasonsLike } from '../../projections/audit/known.read-model.js';
import { REASON } from '../../projections/audit/reasons.sql.js';
import { applicationImpact } from '../../projections/audit/impact.read-model.js';
import { eventTypesOf } from '../../projections/runner/projection.js';
import { openReadStore } from '../../src/base/store/database.js';
import { AddAuditClaimed1763900000000 } from '../../src/base/store/migrations/1763900000000-audit-claimed.js';
import { eventTypes } from '../../src/log/registry.js';
import type { StoredEvent } from '../../src/log/registry.js';
import type { EventMetadata } from '../../src/log/recorded.js';
import { exportAudit } from '../../src/operator/audit/export.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { MemoryLog } from './support/memory-log.js';
import { oneOfEach } from './support/read-models.js';
import { some } from './support/recorded.js';
import { WorkerBench } from './support/worker.js';

describe('the audit', () => {
  let postgres: TestPostgres;
  let bench: WorkerBench;

  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    bench = WorkerBench.open(await postgres.createReadStore());
  });

  afterEach(() => bench.close());

  /** Applies these events to the audit; an array has the metadata of its event. */
  async function given(...events: (StoredEvent | [Partial<EventMetadata>, StoredEvent])[]): Promise<void> {
    const log = new MemoryLog();
    for (const event of events) {
      if (Array.isArray(event)) log.addWithMetadata(event[0], event[1]);
      else log.add(event);
    }
    await apply(log);
  }

  async function apply(log: MemoryLog): Promise<void> {
    const head = await log.head();
    const worker = bench.startWithOwnTables(log, auditGroup, 'audit');
    await until(async () => (await auditPosition(bench.pool))?.position === head);
    await worker.stop();
  }

  const about = (kind: SubjectKind, id: string): AuditSearch => ({ about: [{ kind, id }] });

  const search = (wanted: AuditSearch, before?: AuditCursor, limit = 1_000) =>
    newestEvents(bench.pool, wanted, before, limit);

  /** Types, newest first. */
  const found = async (wanted: AuditSearch) => (await search(wanted)).events.map(({ type }) => type);

  test('shows who opened the dossier of a person', async () => {
    await given(some.account('ada'), some.opening('grace', 'ada'));
    const [opened] = (await search(about('actor', 'ada'), undefined, 1)).events;
    expect(opened).toMatchObject({
      type: 'dossier.opened',
      subject: { operatorId: 'grace', actorId: 'ada' },
    });
  });

  describe('is exported', () => {
    const MORE_THAN_A_PAGE = 600;

    beforeEach(() => given(...Array.from({ length: MORE_THAN_A_PAGE }, (_, n) => some.post(`p${n}`))));

    async function exported(): Promise<AsyncGenerator<string>> {
      const position = (await auditPosition(bench.pool))?.position ?? 0n;
      const recorded = { exportId: 'e', networkId: 'n', at: 0, position, eventId: 'last' };
      return exportAudit(bench.pool, [], { search: {}, query: '', recorded, operatorId: 'o' }, String);
    }

    test('in pages, and at last the manifest', async () => {
      const parts: string[] = await Readable.from(await exported()).toArray();
      const lines = parts.join('').trimEnd().split('\n');
      expect([parts.length, lines.length]).toEqual([3, MORE_THAN_A_PAGE + 1]);
      expect(lines.at(-1)).toMatch(/^\{"note":.*\\"count\\":600,/);
    });

    test('with a fault in place of the manifest if the worker empties it meanwhile', async () => {
      const parts = await exported();
      await parts.next();
      await bench.pool.query('TRUNCATE audit.event CASCADE');
      expect(await Readable.from(parts).toArray()).toEqual([
        '{"fault":"Error: the audit was emptied during the export"}\n',
      ]);
    });
  });

  test('finds events by id, with an index, and says who was shown the text of a post', async () => {
    await given(some.account('ada'), some.post('p1'), some.disclosure('grace', 'ada'));
    const [disclosed] = (await search(about('post', 'p1'), undefined, 1)).events;
    expect(disclosed).toMatchObject({
      type: 'text.disclosed',
      subject: { operatorId: 'grace', postId: 'p1' },
    });
    for (const subject of [about('actor', 'ada'), about('operator', 'grace')])
      expect((await search(subject, undefined, 1)).events).toEqual([disclosed]);
    const { eventId = '' } = disclosed ?? {};
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect(await eventsWithIds(bench.pool, [eventId, unknown])).toEqual(new Map([[eventId, disclosed]]));
    const { rows } = await bench.pool.query<{ indexdef: string }>(
      `SELECT indexdef FROM pg_indexes WHERE schemaname = 'audit' AND tablename = 'event'`,
    );
    expect(rows.map(({ indexdef }) => indexdef.replace(/.* USING /, ''))).toContain('btree (event_id)');
  });

  test('is emptied by the upgrade that tells claimed names from operators, and left to workers of that release', async () => {
    await given([{ operator: 'op1' }, some.post('p1')]);
    const earlier = { ...auditGroup, projections: [{ ...auditGroup.projections[0]!, version: 2_999 }] };
    const readStore = await openReadStore({
      url: bench.databaseUrl,
      applicationName: 'test',
      maxConnections: 2,
    });
    try {
      const runner = readStore.dataSource.createQueryRunner();
      const upgrade = new AddAuditClaimed1763900000000();
      await upgrade.down(runner);
      await bench.pool.query(
        `INSERT INTO audit.about (kind, id, at, position) VALUES ('operator', 'op1', 1000, 100);
        INSERT INTO recovery.checkpoint (group_name, versions, applied_position, applied_event_id)
        VALUES ('audit', '{"audit": 2999}', 100, gen_random_uuid())`,
      );
      await upgrade.up(runner);
      await runner.release();
    } finally {
      await readStore.close();
    }
    const worker = bench.startWithOwnTables(new MemoryLog(), earlier, 'audit');
    await until(() =>
      bench.logged.some((line) => line.includes('tables written by a later release; waiting')),
    );
    await worker.stop();
    expect([(await search({})).events, await found(about('operator', 'op1'))]).toEqual([[], []]);
    await given([{ operator: 'op1', operatorId: 'op2' }, some.post('p1')]);
    expect(await found(about('operator', 'op2'))).toEqual(['post.created']);
    expect(await found(about('operator', 'op1'))).toEqual([]);
  });

  test('handles every event type', () => {
    expect(eventTypesOf(auditGroup)).toEqual([...eventTypes].sort());
  });

  test('has one row for each event, and counts it once, even if events are applied twice', async () => {
    const all = [...oneOfEach(some).values()];
    const log = new MemoryLog();
    log.addWithMetadata({ actorId: 'ada', appId: 'app' }, ...all);
    await apply(log);
    const rows = await search({});
    const impact = await applicationImpact(bench.pool, 'app', {}, 24);
    expect(rows.events.map(({ type }) => type).sort()).toEqual(all.map(({ type }) => type).sort());
    expect(impact.mostActive).toEqual([{ actorId: 'ada', events: all.length }]);
    await bench.pool.query('UPDATE recovery.checkpoint SET applied_position = NULL, applied_event_id = NULL');
    await apply(log);
    expect(await search({})).toEqual(rows);
    expect(await applicationImpact(bench.pool, 'app', {}, 24)).toEqual(impact);
  });

  test('counts as authors of the posts through an application those who posted, and nobody else who used it', async () => {
    const through = (actorId: string, event: StoredEvent): [Partial<EventMetadata>, StoredEvent] => [
      { actorId, appId: 'app' },
      event,
    ];
    const authors = ['ada', 'ada', 'ada', 'ada', 'bob', 'bob'];
    await given(
      ...authors.map((author, n) => through(author, some.post(`p${n}`))),
      ...['c1', 'c2', 'c3', 'c4'].map((fan) => through(fan, some.like(fan, 'p0'))),
    );
    await bench.pool
      .query(`INSERT INTO authority.application (app_id, name, redirect_uris, scopes, state, revision)
      VALUES ('app', 'Pebble', '{}', '{}', 'active', 0)`);
    expect(await busiestApplications(bench.pool, 3_000)).toEqual([
      { clientId: 'app', name: 'Pebble', posts: 6, actors: 2, isMore: false },
    ]);
  });

  test('contains no encrypted field', async () => {
    await given(
      some.account('ada', { handle: 'secret_1', displayName: 'secret 2', email: 'secret_3@example.org' }),
      [{ actorId: 'ada', appId: 'app' }, some.post('p1', { text: 'secret 4', mentions: ['secret_5'] })],
      some.edit('p1', { text: 'secret 6' }),
      some.profileChange('ada', { bio: 'secret 7', website: 'https://secret-8.example/' }),
    );
    const { rows } = await bench.pool.query<{ content: string }>(
      `SELECT schema_to_xml('audit', true, false, '')::text AS content`,
    );
    expect(rows[0]?.content).toContain('post.edited');
    expect(rows[0]?.content).not.toContain('secret');
  });

  describe('finds, newest first,', () => {
    test('the events that an actor caused or is affected by', async () => {
      await given(
        some.account('ada'),
        some.post('p1'),
        some.follow('bob', 'ada'),
        some.follow('bob', 'cleo'),
      );
      expect(await found(about('actor', 'ada'))).toEqual([
        'relation.established',
        'post.created',
        'account.registered',
      ]);
      expect(await found(about('actor', 'bob'))).toEqual(['relation.established', 'relation.established']);
      expect(await found(about('actor', 'nobody'))).toEqual([]);
      const both = { about: ['ada', 'bob'].map((id) => ({ kind: 'actor' as const, id })) };
      expect(await found(both)).toEqual(['relation.established']);
    });

    test('the events of a post, without its replies', async () => {
      await given(
        some.post('p1'),
        some.post('p2', { parentId: 'p1', parentAuthorActorId: 'ada', rootId: 'p1' }),
        some.like('bob', 'p1'),
        some.edit('p1'),
        some.deletion('p1'),
      );
      expect(await found(about('post', 'p1'))).toEqual([
        'post.deleted',
        'post.edited',
        'relation.established',
        'post.created',
      ]);
    });

    test('the acts of an operator by id, and claimed names apart, which may be the id of another', async () => {
      await given(
        [{ operator: 'ana' }, some.suspension('bob')],
        [{ operator: 'ana', operatorId: 'op1' }, some.reinstatement('bob')],
        [{ operator: 'op2', operatorId: 'op1' }, some.restriction('p1')],
      );
      expect(await found(about('claimed', 'ana'))).toEqual(['account.reinstated', 'account.suspended']);
      expect(await found(about('operator', 'op1'))).toEqual(['post.restricted', 'account.reinstated']);
      expect(await found(about('claimed', 'op2'))).toEqual(['post.restricted']);
      for (const id of ['ana', 'op2']) expect(await found(about('operator', id))).toEqual([]);
    });

    test('the events with a reason, or with one that begins so, by an index', async () => {
      const reasons = [
        'order 12',
        'order 120',
        'ORDER 12',
        'order',
        'order 13',
        `order 12${'x'.repeat(9_000)}`,
      ];
      await given(
        ...reasons.map((reason): [Partial<EventMetadata>, StoredEvent] => [
          { reason },
          some.suspension('bob'),
        ]),
        [{ reason: 'order 12' }, some.restriction('p1')],
        some.post('p1'),
      );
      const why = async (reason: AuditSearch['reason'], more: AuditSearch = {}) =>
        (await search({ reason, ...more })).events.map((event) => event.reason?.slice(0, 10));
      const [whole, begin] = [
        { text: 'order 12', isBegin: false },
        { text: 'order 12', isBegin: true },
      ];
      expect(await why(whole)).toEqual(['order 12', 'order 12']);
      expect(await why(whole, about('post', 'p1'))).toEqual(['order 12']);
      expect(await why(begin)).toEqual(['order 12', 'order 12xx', 'order 120', 'order 12']);
      expect(await why(begin, { types: ['post.restricted'] })).toEqual(['order 12']);
      expect((await eventsAfter(bench.pool, { reason: begin }, 'none', 10)).events).toHaveLength(4);
      expect([await reasonsLike(bench.pool, begin, 10), await reasonsLike(bench.pool, begin, 2)]).toEqual([
        3, 2,
      ]);
      expect(await reasonsLike(bench.pool, { text: 'order 1', isBegin: false }, 10)).toBe(0);
      const client = await bench.pool.connect();
      try {
        await client.query('SET enable_seqscan = off');
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(
          `EXPLAIN SELECT FROM audit.event WHERE ${REASON} = 'order 12' ORDER BY at DESC, position DESC LIMIT 1`,
        );
        expect(JSON.stringify(rows)).toMatch(/Index.*Scan.*event_by_reason/);
      } finally {
        client.release(true);
      }
    });

    test('the events of a request, by its secret and its public id, and of an intent', async () => {
      await given(
        [{ requestId: 'secret', clientRequestId: 'public', intentId: 'intent' }, some.post('p1')],
        [{ requestId: 'other', clientRequestId: 'public' }, some.deletion('p1')],
      );
      expect(await found({ request: 'secret' })).toEqual(['post.created']);
      expect(await found({ request: 'public' })).toEqual(['post.deleted', 'post.created']);
      expect(await found({ request: 'public', types: ['post.created'] })).toEqual(['post.created']);
      expect(await found({ intent: 'intent' })).toEqual(['post.created']);
      expect(await found({ ...about('post', 'p1'), request: 'other' })).toEqual(['post.deleted']);
      expect(await found({ ...about('post', 'p1'), intent: 'none' })).toEqual([]);
    });

    test('the people whose events a request has, each once, within the other conditions', async () => {
      const sharing = (actorId: string) => ({ actorId, clientRequestId: 'shared', intentId: 'shared' });
      await given(
        [sharing('ada'), some.post('p1')],
        [sharing('bob'), some.post('p2', { at: 2_100 })],
        [sharing('ada'), some.deletion('p1')],
        [{ clientRequestId: 'shared' }, some.post('p3', { at: 4_000 })],
      );
      const { events } = await search({ request: 'shared' });
      const [newest, third, second, first] = events;
      const of = (wanted: AuditSearch, limit = 10) => peopleOf(bench.pool, wanted, limit);
      const everybody = [first, second, newest].map((event) => ({
        eventId: event?.eventId,
        actorId: event?.actorId,
      }));
      expect(await of({ request: 'shared' })).toEqual({ people: everybody, isMore: false });
      expect(await of({ request: 'shared' }, 2)).toEqual({ people: everybody.slice(0, 2), isMore: true });
      const { at = 0 } = second ?? {};
      for (const narrow of [{ since: at, until: at + 1 }, about('post', 'p2')])
        expect(await of({ intent: 'shared', ...narrow })).toEqual({ people: [everybody[1]], isMore: false });
      expect(await of({ request: 'shared', types: ['post.deleted'] })).toEqual({
        people: [{ eventId: third?.eventId, actorId: 'ada' }],
        isMore: false,
      });
      expect(await of({ request: 'other' })).toEqual({ people: [], isMore: false });
    });

    test('the events that meet all conditions: application, grant, actor, type and time', async () => {
      await given(
        some.application('app'),
        some.grant('g1'),
        some.grant('g2'),
        some.refresh('g1'),
        some.post('p1'),
        some.deletion('p1'),
      );
      const grant = about('grant', 'g1').about ?? [];
      expect(await found(about('app', 'app'))).toEqual([
        'post.created',
        'grant.refreshed',
        'grant.issued',
        'grant.issued',
        'application.registered',
      ]);
      expect(
        await found({ about: [...grant, { kind: 'actor', id: 'ada' }, { kind: 'app', id: 'app' }] }),
      ).toEqual(['grant.refreshed', 'grant.issued']);
      expect(await found({ about: [...grant, { kind: 'post', id: 'p1' }] })).toEqual([]);
      expect(await found({ since: 2_000 })).toEqual(['post.deleted', 'post.created']);
      expect(await found({ since: 2_000, until: 3_000 })).toEqual(['post.created']);
      expect(await found({ ...about('app', 'app'), since: 2_000 })).toEqual(['post.created']);
      expect(
        await found({ ...about('app', 'app'), until: 2_000, types: ['grant.issued', 'post.created'] }),
      ).toEqual(['grant.issued', 'grant.issued']);
      const without = eventTypes.filter((type) => type !== 'grant.issued');
      expect(await found({ ...about('app', 'app'), types: without })).toEqual([
        'post.created',
        'grant.refreshed',
        'application.registered',
      ]);
      expect(await found({ types: ['grant.refreshed'] })).toEqual(['grant.refreshed']);
    });
  });

  describe('is read page by page', () => {
    test('without a gap and without a repetition', async () => {
      await given(some.post('p1'), some.edit('p1'), some.deletion('p1'), some.like('bob', 'p1'));
      const first = await search(about('post', 'p1'), undefined, 2);
      expect(first.events.map(({ type }) => type)).toEqual(['post.deleted', 'post.edited']);
      const second = await search(about('post', 'p1'), first.next, 2);
      expect(second).toEqual({
        events: [
          expect.objectContaining({ type: 'relation.established' }),
          expect.objectContaining({ type: 'post.created' }),
        ],
        next: undefined,
      });
    });

    test('in bounded pages, if conditions rarely meet', async () => {
      const likes = Array.from({ length: MAX_CANDIDATES }, (_, n) => some.like('bob', `post${n}`));
      const log = new MemoryLog();
      log.addWithMetadata({ appId: 'app' }, some.grant('g1'), ...likes);
      await apply(log);
      const types = eventTypes.filter((type) => type !== 'relation.established');
      const rare = { ...about('app', 'app'), types };
      const first = await search(rare, undefined, 10);
      expect(first).toEqual({ events: [], next: expect.objectContaining({ at: 2_000 }) });
      expect(await search(rare, first.next, 10)).toEqual({
        events: [expect.objectContaining({ type: 'grant.issued' })],
        next: undefined,
      });
    });
  });

  describe('is followed', () => {
    const after = async (cursor: FollowCursor | 'none', wanted: AuditSearch = {}, limit = 100) => {
      const page = await eventsAfter(bench.pool, wanted, cursor, limit);
      return { ...page, events: page.events.map(({ type }) => type) };
    };

    test('in the order of the log, whatever the clocks said', async () => {
      await given(
        some.post('p1', { at: 3_000 }),
        some.edit('p1', { at: 2_000 }),
        some.deletion('p1', { at: 2_500 }),
      );
      const first = await after('none', {}, 2);
      expect(first.events).toEqual(['post.created', 'post.edited']);
      if (typeof first.cursor === 'string') throw new Error('the page has a last event');
      const second = await after(first.cursor);
      expect(second.events).toEqual(['post.deleted']);
      if (typeof second.cursor === 'string') throw new Error('the page has a last event');
      expect(await after(second.cursor)).toEqual({ events: [], cursor: second.cursor });
    });

    test('from a time on, or from now', async () => {
      await given(
        some.post('p1', { at: 1_000 }),
        some.edit('p1', { at: 3_000 }),
        some.deletion('p1', { at: 2_000 }),
      );
      const from = await followFrom(bench.pool, 2_000);
      expect((await after(from, { since: 2_000 })).events).toEqual(['post.edited', 'post.deleted']);
      expect(await followFrom(bench.pool, 1_000)).toBe('none');
      expect((await after(await followFrom(bench.pool, undefined))).events).toEqual([]);
      expect((await after(await followFrom(bench.pool, 9_000))).events).toEqual([]);
    });

    test('not from an event that the log does not have', async () => {
      await given(some.post('p1'), some.edit('p1'));
      const [event] = (await search({})).events;
      const cursor = { position: event?.position ?? 0n, eventId: '00000000-0000-4000-8000-000000000000' };
      expect(await after(cursor)).toEqual({ events: [], cursor: 'unknown' });
    });
  });

  describe('counts by hour what an application did:', () => {
    const HOUR = 3_600_000;
    const through = (event: StoredEvent, actorId = 'ada'): [Partial<EventMetadata>, StoredEvent] => [
      { appId: 'app', actorId },
      event,
    ];

    beforeEach(() =>
      given(
        some.application('app'),
        through(some.post('p1', { at: HOUR })),
        through(some.post('p2', { at: 2 * HOUR - 1 })),
        through(some.follow('bob', 'ada', { at: 2 * HOUR }), 'bob'),
        through(some.like('bob', 'p1', { at: 2 * HOUR }), 'bob'),
        through(some.post('p3', { at: 5 * HOUR })),
        [{ appId: 'other', actorId: 'cleo' }, some.post('p4', { at: HOUR })],
      ),
    );

    test('posts, follows and actors', async () => {
      expect(await applicationImpact(bench.pool, 'app', {}, 2)).toEqual({
        actors: 2,
        acts: { 'post.created': 3, 'relation.established (follow)': 1, 'relation.established (like)': 1 },
        first: HOUR,
        last: 5 * HOUR,
        hours: [
          {
            hour: 2 * HOUR,
            actors: 1,
            acts: { 'relation.established (follow)': 1, 'relation.established (like)': 1 },
          },
          { hour: 5 * HOUR, actors: 1, acts: { 'post.created': 1 } },
        ],
        mostActive: [
          { actorId: 'ada', events: 3 },
          { actorId: 'bob', events: 2 },
        ],
      });
    });

    test('in a window of whole hours', async () => {
      const window = { since: HOUR + 1, until: 2 * HOUR };
      expect(await applicationImpact(bench.pool, 'app', window, 24)).toMatchObject({
        actors: 1,
        acts: { 'post.created': 2 },
        hours: [{ hour: HOUR, actors: 1, acts: { 'post.created': 2 } }],
      });
    });

    test('nothing, of an unknown application', async () => {
      expect(await applicationImpact(bench.pool, 'none', {}, 24)).toEqual({
        actors: 0,
        acts: {},
        first: null,
        last: null,
        hours: [],
        mostActive: [],
      });
    });
  });
});
