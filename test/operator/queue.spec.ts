import { describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { caseFactsSql } from '../../projections/cases/queue-facts.sql.js';
import { casesPageSql, claimableSql } from '../../projections/cases/queue.read-model.js';
import type { CaseStatement } from '../../projections/cases/queue.read-model.js';
import { countOldCases } from '../../projections/cases/waiting-cases.read-model.js';
import { OrderCasesByUrgency1763902000000 } from '../../src/base/store/migrations/1763902000000-case-urgency.js';
import { ExpiredRecords } from '../../src/doors/auth/storage/expired-records.js';
import { CountUrgencyAnew1763903000000 } from '../../src/base/store/migrations/1763903000000-case-urgency-anew.js';
import { streams } from '../../src/log/streams.js';
import { some } from '../projections/support/recorded.js';
import type { Seat } from '../support/desk.js';
import { caseDesks } from './support/case-desk.js';
import { QueueDesk } from './support/queue-desk.js';

const at = caseDesks();
const queue = () => new QueueDesk(at());

const people = (count: number, name = 'person') => Array.from({ length: count }, (_, n) => `${name}${n}`);
const urgent = (by: Seat, asked: object = {}) => by.get('cases', { order: 'urgent', ...asked });
const idsOf = async (by: Seat, asked: object = {}) =>
  (await urgent(by, asked)).cases.map(({ caseId }) => caseId);
const listed = async (by: Seat, caseId: string) =>
  (await urgent(by, { state: 'all' })).cases.find((each) => each.caseId === caseId)!;
const looksBy = async ({ operatorId }: { readonly operatorId: string }) => {
  const { log } = at().desk;
  const { signal } = new AbortController();
  const looks = [];
  for await (const { events, caughtUp } of log.subscribe({
    after: undefined,
    types: ['look.recorded'],
    batchSize: 100,
    signal,
  })) {
    looks.push(...events.filter(({ metadata }) => metadata.operatorId === operatorId));
    if (caughtUp) break;
  }
  return looks.map(({ event }) => event.data);
};

describe('the most urgent case', () => {
  it('is that of the gravest reason, then of the most people, then the oldest', async () => {
    const { grace } = at();
    const spam = await queue().reported('spam', people(3));
    const [first, second] = [await queue().reported('other'), await queue().reported('impersonation')];
    const harassment = await queue().reported('harassment');
    const illegal = await queue().reported('illegal');
    const many = await queue().reported('harassment', people(2));
    expect(await idsOf(grace)).toEqual([illegal, many, harassment, first, second, spam]);
    const severities = (await urgent(grace)).cases.map(({ severity }) => severity);
    expect(severities).toEqual(['critical', 'high', 'high', 'medium', 'medium', 'low']);
    expect((await grace.get('cases')).cases.map(({ caseId }) => caseId)).toEqual([
      spam,
      first,
      second,
      harassment,
      illegal,
      many,
    ]);
  });

  it('is no longer one that more than five people report, nor one that one person reports again', async () => {
    const { grace } = at();
    const five = await queue().reported('spam', people(5));
    const forty = await queue().reported('spam', people(40));
    const one = await queue().reported('spam', ['ada']);
    const again = await queue().reported('spam', ['ada', 'ada', 'ada']);
    expect(await idsOf(grace)).toEqual([five, forty, one, again]);
  });

  it('is that of a graver reason, also if more than five people reported before', async () => {
    const { grace } = at();
    const crowded = await queue().reported('spam', people(7));
    const other = await queue().reported('impersonation');
    expect(await idsOf(grace)).toEqual([other, crowded]);
    const { postId, targetActorId } = await listed(grace, crowded);
    await queue().report(postId!, targetActorId, 'other', ['late']);
    expect(await idsOf(grace)).toEqual([crowded, other]);
    await queue().report(postId!, targetActorId, 'spam', ['later']);
    expect(await idsOf(grace)).toEqual([crowded, other]);
  });

  it('counts the reports that no decision has seen, and keeps its place if an operator reopens it', async () => {
    const { grace, hedy } = at();
    const caseId = await queue().reported('harassment', people(4));
    const other = await queue().reported('impersonation');
    await at().decide(grace, caseId, []);
    await hedy.post('cases/:id/reopen', { id: caseId, reason: 'once more' });
    expect(await idsOf(grace)).toEqual([caseId, other]);
    await at().decide(grace, caseId, []);
    const { postId, targetActorId } = await listed(grace, caseId);
    await queue().report(postId!, targetActorId, 'spam', ['ada']);
    expect(await idsOf(grace)).toEqual([other, caseId]);
  });
});

describe('an upgrade', () => {
  it('sets the urgency of the cases of the release before', async () => {
    const { grace, hedy, desk } = at();
    const decided = await queue().reported('harassment', people(2));
    await at().decide(grace, decided, []);
    const spam = await queue().reported('spam', people(7));
    const illegal = await queue().reported('illegal');
    const runner = desk.services.store.db.connection.createQueryRunner();
    const upgrade = new OrderCasesByUrgency1763902000000();
    await upgrade.down(runner);
    await upgrade.up(runner);
    await runner.release();
    expect(await idsOf(hedy)).toEqual([illegal, spam]);
    expect((await listed(hedy, decided)).severity).toBe('high');
  });

  it('counts the cases anew that the release before left too urgent', async () => {
    const { grace, desk } = at();
    const [spam, other] = [await queue().reported('spam'), await queue().reported('other')];
    await desk.services.pool.query('UPDATE cases.summary SET urgency = 45 WHERE case_id = $1', [spam]);
    const runner = desk.services.store.db.connection.createQueryRunner();
    const upgrade = new CountUrgencyAnew1763903000000();
    await upgrade.down(runner);
    await upgrade.up(runner);
    await runner.release();
    expect(await idsOf(grace)).toEqual([other, spam]);
  });
});

describe('pages of the queue', () => {
  it('have each case that stays as it was once, whatever happens to others meanwhile', async () => {
    const { grace, desk } = at();
    await queue().fill(250);
    const all: string[] = [];
    let after: string | undefined;
    do {
      const { cases, next } = await urgent(grace, { after });
      all.push(...cases.map(({ caseId }) => caseId));
      after = next ?? undefined;
      await desk.services.pool.query(
        `UPDATE cases.summary SET urgency = 45 WHERE case_id IN ('post-open7', 'post-open8');
        DELETE FROM cases.summary WHERE case_id = $$post-open9$$;
        INSERT INTO cases.summary (case_id, target_actor_id, status, reports, reasons, newest_report, opened_position, urgency)
        VALUES ('actor-new', 'new', 'open', 1, '{spam}', 1, 5000000, 41) ON CONFLICT DO NOTHING`,
      );
    } while (after !== undefined);
    const changed = new Set(['post-open7', 'post-open8', 'post-open9', 'actor-new']);
    const kept = Array.from({ length: 250 }, (_, n) => `post-open${n + 1}`).filter(
      (each) => !changed.has(each),
    );
    expect(all.filter((each) => !changed.has(each)).toSorted()).toEqual(kept.toSorted());
  });

  it.each(['7', '-7', '1-2-3', 'x'])('refuse a place that no page gave: %s', async (after) => {
    await expect(urgent(at().grace, { after })).rejects.toThrow('`next` of an earlier page');
  });

  it('refuse a place of another order', async () => {
    await expect(at().grace.get('cases', { after: '42-7' })).rejects.toThrow('`next` of an earlier page');
  });

  it('find the most urgent of 10,000 by an index', async () => {
    const { desk } = at();
    await queue().fill(10_000);
    const asked = { filter: 'open', operatorId: '', order: 'urgent', limit: 100 } as const;
    const planOf = async (statement: CaseStatement) => {
      const { text, values } = statement('');
      const { rows } = await desk.services.pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
      return JSON.stringify(rows);
    };
    const claimable = {
      isAppealed: false,
      operatorId: 'grace',
      idleSince: 0,
      except: ['post-open1'],
      limit: 20,
    };
    const statements = [
      casesPageSql(asked),
      casesPageSql({ ...asked, after: '25-1005000' }),
      claimableSql(claimable),
    ];
    for (const plan of await Promise.all(statements.map(planOf))) {
      expect(plan).toContain('"Index Name":"summary_urgent"');
      expect(plan).not.toContain('"Node Type":"Sort"');
      expect(plan).not.toMatch(/"Actual Rows":[0-9]{4}/);
    }
  });

  it('find what they show beside the cases, and the old cases, by indexes of open cases', async () => {
    const { desk } = at();
    await queue().fill(10_000);
    await desk.services.pool.query(
      `UPDATE cases.summary SET target_actor_id = 'author7' WHERE status = 'decided'; ANALYZE cases.summary`,
    );
    const plans: string[] = [];
    const query = async (text: string, values: readonly unknown[]) => {
      const { rows } = await desk.services.pool.query(`EXPLAIN (FORMAT JSON) ${text}`, [...values]);
      plans.push(JSON.stringify(rows));
      return { rows: [] };
    };
    const asked = { filter: 'open', operatorId: '', order: 'urgent', limit: 100, author: 'author7' } as const;
    const { text, values } = casesPageSql(asked)('');
    await query(text, values);
    await query(caseFactsSql, [[], ['author7'], [], '']);
    await countOldCases({ query } as unknown as Pool, { low: 1, medium: 1, high: 1, critical: 1 }, 0);
    for (const [n, index] of ['summary_open_of_target', 'summary_open_of_target', 'summary_old'].entries())
      expect(plans[n]).toContain(`"Index Name":"${index}"`);
    expect(plans[0]).not.toContain('"Node Type":"Sort"');
  });

  it('take as many statements for 10,000 cases as for 10', async () => {
    const { grace, desk } = at();
    let count = 0;
    desk.services.pool.on('acquire', () => count++);
    const statements = async () => {
      count = 0;
      await urgent(grace);
      return count;
    };
    await queue().publish();
    await queue().fill(10);
    await statements();
    const few = await statements();
    await desk.services.pool.query('TRUNCATE cases.summary');
    await queue().fill(10_000);
    expect([few, await statements()]).toEqual([few, few]);
    expect(few).toBeLessThan(10);
  });
});

describe('a filter', () => {
  it('by author shows theirs alone, and is a look; the queue as a whole is none', async () => {
    const { grace, desk } = at();
    const author = await desk.account();
    const own = [await queue().reported('spam', ['ada'], 1, author), await at().report({ actorId: author })];
    await queue().reported('illegal');
    expect(await looksBy(grace)).toEqual([]);
    await urgent(grace);
    expect(await looksBy(grace)).toEqual([]);
    expect((await idsOf(grace, { author })).toSorted()).toEqual(own.toSorted());
    expect(await looksBy(grace)).toMatchObject([{ actorId: author }]);
    expect((await listed(grace, own[0]!)).openOfAuthor).toBe(2);
  });

  it('by application shows posts through it, and is a look; without published read models it is refused', async () => {
    const { grace, desk } = at();
    await desk.given(streams.application('app-1'), some.application('app-1', { name: 'Lamp shop' }));
    const [one, other] = [await queue().reported('spam'), await queue().reported('spam')];
    expect((await listed(grace, one)).appId).toBeNull();
    await expect(urgent(grace, { application: 'app-1' })).rejects.toThrow('(recovery_publication_changed)');
    await queue().publish();
    await queue().post(one, 'app-1');
    await queue().post(other, 'app-2');
    expect(await idsOf(grace, { application: 'app-1' })).toEqual([one]);
    expect((await listed(grace, other)).appId).toBe('app-2');
    expect(await looksBy(grace)).toContainEqual(expect.objectContaining({ appId: 'app-1' }));
  });

  it('by application looks at 10,000 cases a page, and goes on after them', async () => {
    const { grace, desk } = at();
    await desk.given(streams.application('app-1'), some.application('app-1', { name: 'Lamp shop' }));
    const first = await queue().reported('spam');
    await queue().publish();
    await queue().post(first, 'app-1');
    await queue().fill(10_000);
    const asked = { application: 'app-1', order: 'newest' } as const;
    const { cases, next } = await grace.get('cases', asked);
    expect([cases, next]).toEqual([[], '1000001']);
    expect(await idsOf(grace, { ...asked, after: next })).toEqual([first]);
  });

  it('by somebody who is not there is refused, and leaves no look that the audit would take for a person', async () => {
    const { grace } = at();
    for (const filter of [{ author: 'nobody' }, { application: 'nothing' }])
      await expect(urgent(grace, filter)).rejects.toThrow('(invalid_request)');
    await expect(grace.post('cases/next', { author: 'nobody' })).rejects.toThrow('(invalid_request)');
    expect(await looksBy(grace)).toEqual([]);
  });

  it('by a reason shows cases with such a report, and how many of each', async () => {
    const { grace } = at();
    const caseId = await queue().reported('spam', people(2));
    const { postId, targetActorId } = await listed(grace, caseId);
    await queue().report(postId!, targetActorId, 'illegal', ['cleo']);
    await queue().reported('other');
    expect(await idsOf(grace, { reportedFor: 'illegal' })).toEqual([caseId]);
    expect((await listed(grace, caseId)).reportsByReason).toEqual({ spam: 2, illegal: 1 });
  });
});

describe('numbers about reporters', () => {
  /** Decides a case of these people as a violation. */
  const upheld = async (...by: readonly string[]) =>
    at().decide(at().grace, await queue().reported('spam', by), []);

  it('tell how many were upheld before, of those with three reports, to who may decide', async () => {
    const { grace, desk } = at();
    await upheld('ada', 'bob');
    await queue().reported('spam', ['ada', 'cleo']);
    await queue().reported('spam', ['cleo']);
    const caseId = await queue().reported('illegal', ['ada', 'bob', 'cleo']);
    const reporters = { people: 3, upheld: 1, isBrigade: false };
    expect(await listed(grace, caseId)).toMatchObject({ reporters });
    for (const by of [desk.shared, await desk.enroll(['auditor'])])
      expect((await listed(by, caseId)).reporters).toBeNull();
    expect(JSON.stringify(await urgent(grace))).not.toMatch(/"(ada|bob|cleo)"|text of/);
  });

  it('do not count the decision of the case itself', async () => {
    const { grace } = at();
    for (const _each of [1, 2]) await queue().reported('spam', ['ada']);
    const caseId = await queue().reported('spam', ['ada']);
    await at().decide(grace, caseId, []);
    expect((await listed(grace, caseId)).reporters?.upheld).toBe(0);
  });

  it('hint at people who follow each other and report within minutes', async () => {
    const { grace } = at();
    await queue().publish();
    const [brigade, crowd] = [people(6, 'friend'), people(6, 'stranger')];
    await queue().befriend(brigade);
    const of = await Promise.all([
      queue().reported('spam', brigade, 1_000_000),
      queue().reported('spam', crowd, 1_000_000),
      queue().reported('spam', brigade.slice(0, 4), 1_000_000),
    ]);
    const slow = await queue().reported('spam', []);
    const { desk } = at();
    const slowPost = slow.slice('post-'.length);
    const author = await desk.account();
    for (const [n, friend] of brigade.entries())
      await queue().report(slowPost, author, 'spam', [friend], n * 11 * 60_000);
    const hints = await Promise.all(
      [...of, slow].map(async (caseId) => (await listed(grace, caseId)).reporters?.isBrigade),
    );
    expect(hints).toEqual([true, false, false, false]);
  });
});

describe('the next case', () => {
  const next = (by: Seat, asked: object = {}) => by.post('cases/next', asked);
  const typesOf = async (caseId: string) =>
    (await at().desk.log.read(streams.case(caseId))).map(({ event }) => event.type);
  const MINUTE = 60_000;

  it('is the most urgent that waits under the filters, with its texts', async () => {
    const { grace } = at();
    const spam = await queue().reported('spam');
    const illegal = await queue().reported('illegal');
    expect((await next(grace, { reportedFor: 'spam' })).case).toMatchObject({
      caseId: spam,
      isMine: true,
      reports: { newest: [{ reporterActorId: 'ada' }] },
    });
    expect((await next(grace, { after: illegal })).case).toBeNull();
    expect((await next(grace)).case?.caseId).toBe(illegal);
    expect((await next(grace)).case).toBeNull();
  });

  it('is none that the operator released today, until somebody else had it', async () => {
    const { grace, hedy, desk } = at();
    const [one, other] = [await queue().reported('illegal'), await queue().reported('spam')];
    const left = async (by: Seat) => {
      const { caseId } = await next(by);
      if (caseId !== null) await by.post('cases/:id/release', { id: caseId });
      return caseId;
    };
    expect([await left(grace), await left(grace), await left(grace)]).toEqual([one, other, null]);
    expect((await urgent(grace)).cases).toHaveLength(2);
    expect(await left(hedy)).toBe(one);
    expect(await left(grace)).toBe(one);
    await grace.post('cases/:id/claim', { id: other });
    await hedy.post('cases/:id/release', { id: other, reason: 'she is away' });
    expect((await next(grace, { after: one })).caseId).toBe(other);
    desk.advance(25 * 60 * MINUTE);
    const { store, clock, logger } = desk.services;
    expect(await left(grace)).toBeNull();
    await new ExpiredRecords(store, clock, logger).sweep();
    expect(await left(grace)).toBe(one);
  });

  it('shows no text, and counts for none, if the claimer opens it by itself', async () => {
    const { grace, hedy } = at();
    const caseId = await queue().reported('spam');
    expect(await next(grace, { show: false })).toEqual({ caseId, case: null });
    expect(await typesOf(caseId)).toEqual(['case.opened', 'case.claimed']);
    expect((await urgent(grace)).mine).toBe(1);
    expect((await urgent(hedy)).mine).toBe(0);
    await hedy.post('cases/:id/release', { id: caseId, reason: 'she is away' });
    expect(await hedy.post('cases/:id/claim', { id: caseId, show: false })).toEqual({ case: null });
    expect((await typesOf(caseId)).slice(2)).toEqual(['case.released', 'case.claimed']);
  });

  it('is claimed by one of several operators at the same time, and the others get those after', async () => {
    const { grace, hedy, desk } = at();
    const ids = [];
    for (let n = 0; n < 50; n++) ids.push(await queue().reported('spam'));
    const work = async (by: Seat) => {
      const claimed = [];
      for (;;) {
        const found = (await next(by)).case;
        if (!found) return claimed;
        claimed.push(found.caseId);
      }
    };
    const claimed = await Promise.all([grace, hedy, await desk.enroll(['moderator'])].map(work));
    expect(claimed.flat().toSorted()).toEqual(ids.toSorted());
    for (const each of claimed) expect(each.length).toBeGreaterThan(0);
  });

  it('is no case that the operator must leave to others', async () => {
    const { grace, hedy, desk } = at();
    const { caseId } = await at().appealed();
    expect((await next(grace, { state: 'appealed' })).case).toBeNull();
    const { operatorId } = grace;
    const asked = { isAppealed: true, operatorId, idleSince: 0, except: [], limit: 20 };
    const { text, values } = claimableSql(asked)('');
    expect((await desk.services.pool.query<{ data: unknown }>(text, values)).rows[0]?.data).toEqual([]);
    await hedy.post('cases/:id/reopen', { id: caseId, reason: 'once more' });
    expect((await next(grace)).case).toBeNull();
    expect((await next(hedy, { state: 'appealed' })).case?.caseId).toBe(caseId);
  });

  it('is also one whose claimer was idle for 16 minutes, as a release and a claim by the taker', async () => {
    const { grace, hedy, desk } = at();
    const caseId = await queue().reported('spam');
    await next(grace);
    desk.advance(15 * MINUTE);
    await grace.post('cases/:id/active', { id: caseId });
    desk.advance(15 * MINUTE);
    expect((await next(hedy)).case).toBeNull();
    expect((await listed(hedy, caseId)).isIdle).toBe(false);
    await grace.get('cases/:id', { id: caseId });
    desk.advance(16 * MINUTE - 1);
    expect((await next(hedy)).case).toBeNull();
    desk.advance(1);
    expect((await listed(hedy, caseId)).isIdle).toBe(true);
    expect((await next(grace)).case).toBeNull();
    expect((await next(hedy)).case?.caseId).toBe(caseId);
    expect(await typesOf(caseId)).toEqual([
      'case.opened',
      'case.claimed',
      'case.disclosed',
      'case.released',
      'case.claimed',
      'case.disclosed',
    ]);
    const [released, claimed] = (await desk.log.read(streams.case(caseId))).slice(3);
    expect([released?.metadata.operatorId, claimed?.metadata.operatorId]).toEqual([
      hedy.operatorId,
      hedy.operatorId,
    ]);
    await expect(grace.post('cases/:id/active', { id: caseId })).rejects.toThrow('(not_owner)');
    expect((await listed(grace, caseId)).isIdle).toBe(false);
  });

  it('takes over a claim without a stored sign from its beginning on', async () => {
    const { grace, hedy, desk } = at();
    const caseId = await queue().reported('spam');
    await next(grace);
    await desk.services.pool.query('DELETE FROM cases.activity');
    desk.advance(15 * MINUTE);
    expect((await listed(hedy, caseId)).isIdle).toBe(false);
    expect((await next(hedy)).case).toBeNull();
    desk.advance(MINUTE);
    expect((await listed(hedy, caseId)).isIdle).toBe(true);
    const taken = await Promise.all([hedy, await desk.enroll(['moderator'])].map((by) => next(by)));
    expect(taken.flatMap((each) => each.case?.caseId ?? [])).toEqual([caseId]);
    expect((await typesOf(caseId)).filter((type) => type === 'case.released')).toHaveLength(1);
  });

  it('is for the personal token of a moderator', async () => {
    const { desk } = at();
    await queue().reported('spam');
    for (const by of [desk.shared, await desk.enroll(['auditor'])])
      await expect(next(by)).rejects.toThrow('(capability_required)');
  });
});
