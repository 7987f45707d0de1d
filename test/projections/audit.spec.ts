import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { auditGroup } from '../../projections/audit/audit.projection.js';
import { auditedEventsAfter, auditPosition } from '../../projections/audit/audit.read-model.js';
import type { AuditFilter } from '../../projections/audit/audit.read-model.js';
import { eventTypesOf } from '../../projections/runner/projection.js';
import { eventTypes } from '../../src/log/registry.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { auditMigrations } from '../../src/store/migrations/1763760000000-audit.js';
import { openPostgres } from '../../src/store/postgres.js';
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
    const url = await postgres.createDatabase();
    bench = await WorkerBench.open(url);
    const options = { applicationName: 'test', maxConnections: 1, migrations: auditMigrations };
    await (await openPostgres({ url, ...options })).close();
  });

  afterEach(() => bench.close());

  /** Applies these events to the audit. */
  async function given(...events: StoredEvent[]): Promise<void> {
    const log = new MemoryLog();
    const newest = log.add(...events).at(-1);
    const worker = bench.startWithOwnTables(log, auditGroup, 'audit');
    await until(async () => (await auditPosition(bench.pool)) === newest?.position);
    await worker.stop();
  }

  const found = async (filter: AuditFilter, after = -1n, limit = 100) =>
    (await auditedEventsAfter(bench.pool, filter, after, limit)).map(({ type }) => type);

  test('handles every event type', () => {
    expect(eventTypesOf(auditGroup)).toEqual([...eventTypes].sort());
  });

  test('has one row for each event, even if events are applied twice', async () => {
    const all = [...oneOfEach(some).values()];
    await given(...all);
    const rows = await auditedEventsAfter(bench.pool, {}, -1n, 1_000);
    expect(rows.map(({ type }) => type)).toEqual(all.map(({ type }) => type));
    await bench.pool.query('UPDATE recovery.checkpoint SET applied_position = NULL, applied_event_id = NULL');
    await given(...all);
    expect(await auditedEventsAfter(bench.pool, {}, -1n, 1_000)).toEqual(rows);
  });

  test('contains no encrypted field', async () => {
    await given(
      some.account('ada', { handle: 'secret_1', displayName: 'secret 2', email: 'secret_3@example.org' }),
      some.post('p1', { text: 'secret 4', mentions: ['secret_5'] }),
      some.edit('p1', { text: 'secret 6' }),
      some.profileChange('ada', { bio: 'secret 7', website: 'https://secret-8.example/' }),
    );
    const { rows } = await bench.pool.query<{ content: string }>(
      `SELECT query_to_xml('SELECT * FROM audit.event', true, false, '')::text
        || query_to_xml('SELECT * FROM audit.about', true, false, '')::text AS content`,
    );
    expect(rows[0]?.content).toContain('post.edited');
    expect(rows[0]?.content).not.toContain('secret');
  });

  test('finds the events that an actor caused or is affected by', async () => {
    await given(some.account('ada'), some.post('p1'), some.follow('bob', 'ada'), some.follow('bob', 'cleo'));
    expect(await found({ actor: 'ada' })).toEqual([
      'account.registered',
      'post.created',
      'relation.established',
    ]);
    expect(await found({ actor: 'bob' })).toEqual(['relation.established', 'relation.established']);
    expect(await found({ actor: 'nobody' })).toEqual([]);
  });

  test('finds the events of a post, without its replies', async () => {
    await given(
      some.post('p1'),
      some.post('p2', { parentId: 'p1', parentAuthorActorId: 'ada', rootId: 'p1' }),
      some.like('bob', 'p1'),
      some.edit('p1'),
      some.deletion('p1'),
    );
    expect(await found({ post: 'p1' })).toEqual([
      'post.created',
      'relation.established',
      'post.edited',
      'post.deleted',
    ]);
  });

  test('combines filters by application, grant, actor and time', async () => {
    await given(
      some.application('app'),
      some.grant('g1'),
      some.grant('g2'),
      some.refresh('g1'),
      some.post('p1'),
      some.deletion('p1'),
    );
    expect(await found({ app: 'app' })).toEqual([
      'application.registered',
      'grant.issued',
      'grant.issued',
      'grant.refreshed',
      'post.created',
    ]);
    expect(await found({ grant: 'g1', app: 'app', actor: 'ada' })).toEqual([
      'grant.issued',
      'grant.refreshed',
    ]);
    expect(await found({ grant: 'g1', post: 'p1' })).toEqual([]);
    expect(await found({ since: 2_000 })).toEqual(['post.created', 'post.deleted']);
    expect(await found({ since: 2_000, app: 'app' })).toEqual(['post.created']);
  });

  test('is read page by page', async () => {
    await given(some.post('p1'), some.edit('p1'), some.deletion('p1'));
    const [first, second] = await auditedEventsAfter(bench.pool, { post: 'p1' }, -1n, 2);
    expect([first?.type, second?.type]).toEqual(['post.created', 'post.edited']);
    expect(await found({ post: 'p1' }, second?.position, 2)).toEqual(['post.deleted']);
  });
});
