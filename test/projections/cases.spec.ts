import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { casesGroup } from '../../projections/cases/cases.projection.js';
import {
  casesAbout,
  casesWithPendingEffects,
  countOpenCases,
} from '../../projections/cases/cases.read-model.js';
import { askPool, casesPage } from '../../projections/cases/queue.read-model.js';
import type { CaseFilter, CasePage } from '../../projections/cases/queue.read-model.js';
import { fixedSchemaTarget } from '../../projections/runner/target.js';
import { openCases } from '../../src/background/cases/open-cases.js';
import { BoundedClock } from '../../src/base/support/bounded-clock.js';
import { systemIds } from '../../src/base/support/id-generator.js';
import { streams } from '../../src/log/streams.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { MemoryLog } from './support/memory-log.js';
import { some } from './support/recorded.js';
import { WorkerBench } from './support/worker.js';
import type { Worker } from './support/worker.js';

const clock = new BoundedClock('worker', { now: () => 5_000 });

describe('the worker of cases', () => {
  let postgres: TestPostgres;
  let bench: WorkerBench;
  let log: MemoryLog;

  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    bench = WorkerBench.open(await postgres.createReadStore());
    log = new MemoryLog();
  });
  afterEach(() => bench.close());

  const publish = (status: 'serving' | 'quarantined') =>
    bench.pool.query(
      `INSERT INTO recovery.incarnation (incarnation, schema_name, versions, created_at) VALUES ('i', 'inc_i', '{}', now())
      ON CONFLICT DO NOTHING;
      DELETE FROM recovery.publication;
      INSERT INTO recovery.publication (incarnation, status, reason, network_id)
      VALUES ('i', '${status}', ${status === 'serving' ? 'NULL' : "'a test'"}, 'n')`,
    );

  /** As the worker process runs it. */
  const start = (): Worker =>
    bench.run({
      log,
      group: casesGroup,
      prepare: async (client) => ({
        ...(await fixedSchemaTarget(client, casesGroup, 'cases')),
        onCaughtUp: () => openCases({ client, log, ids: systemIds, clock }),
      }),
    });

  const page = async (filter: CaseFilter = 'all', asked: Partial<CasePage> = {}) =>
    (
      await casesPage(askPool(bench.pool), { filter, operatorId: '', order: 'oldest', limit: 100, ...asked })
    ).cases.map(({ listed }) => listed);
  const waitForCases = (...ids: readonly string[]) =>
    until(async () => (await page()).map(({ caseId }) => caseId).join() === ids.join());
  const typesOf = async (caseId: string) =>
    (await log.read(streams.case(caseId))).map(({ event }) => event.type);
  const rows = async () => {
    const { rows: summaries } = await bench.pool.query('SELECT * FROM cases.summary ORDER BY case_id');
    const { rows: reports } = await bench.pool.query('SELECT * FROM cases.report ORDER BY report_id');
    return { summaries, reports };
  };

  it('opens one case for a hundred reports of one post', async () => {
    await publish('serving');
    log.add(...Array.from({ length: 60 }, (_, n) => some.report(`r${n}`, { postId: 'p1' })));
    start();
    await waitForCases('post-p1');
    log.add(...Array.from({ length: 40 }, (_, n) => some.report(`s${n}`, { postId: 'p1' })));
    log.add(some.report('other', { targetActorId: 'cleo' }));
    await waitForCases('post-p1', 'actor-cleo');
    expect(await page('open')).toMatchObject([{ caseId: 'post-p1', reports: 100 }, { reports: 1 }]);
    expect(await typesOf('post-p1')).toEqual(['case.opened']);
    expect(await countOpenCases(bench.pool)).toEqual({ open: 2, claimed: 0, appealed: 0 });
  });

  it('opens a case once, if it is killed after the append', async () => {
    await publish('serving');
    log.add(some.report('r1', { postId: 'p1' }));
    // The rows do not show the event yet, as after a kill between append and row.
    const worker = bench.run({
      log,
      group: casesGroup,
      prepare: (client) => fixedSchemaTarget(client, casesGroup, 'cases'),
    });
    await until(async () => (await rows()).reports.length);
    await worker.stop();
    const client = await bench.pool.connect();
    try {
      for (const _again of [1, 2]) await openCases({ client, log, ids: systemIds, clock });
    } finally {
      client.release();
    }
    expect(await typesOf('post-p1')).toEqual(['case.opened']);
    start();
    await waitForCases('post-p1');
    expect(await typesOf('post-p1')).toEqual(['case.opened']);
  });

  it('opens none in a quarantine, and catches up after it', async () => {
    await publish('quarantined');
    log.add(some.report('r1', { postId: 'p1' }));
    start();
    await until(async () => (await rows()).reports.length);
    expect(await typesOf('post-p1')).toEqual([]);
    await publish('serving');
    await waitForCases('post-p1');
  });

  it('reopens a decided case for a report that the decision did not see', async () => {
    await publish('serving');
    const [first] = log.add(some.report('r1', { postId: 'p1' }));
    start();
    await waitForCases('post-p1');
    log.add(
      some.caseClaim('post-p1'),
      some.caseDecision('post-p1', { networkRevision: Number(first?.position) }),
    );
    await until(async () => (await page('decided')).length);
    log.add(some.report('r2', { postId: 'p1' }));
    await until(async () => (await typesOf('post-p1')).at(-1) === 'case.reopened');
    await until(async () => (await page('open')).length);
    const { reports } = await rows();
    expect(reports).toMatchObject([{ outcome: 'violation' }, { outcome: null }]);
  });

  it('has the same rows if every event is applied again', async () => {
    await publish('serving');
    log.add(
      some.report('r1', { postId: 'p1' }),
      some.report('r2', { postId: 'p1' }),
      some.caseOpening('post-p1'),
    );
    log.add(some.caseClaim('post-p1'), some.caseDisclosure('post-p1'), some.caseNote('post-p1'));
    log.add(some.caseDecision('post-p1', { networkRevision: 200 }), some.appliedEffects('post-p1'));
    log.add(some.caseAppeal('post-p1'), some.caseClaim('post-p1', 'hedy'));
    const first = start();
    await until(async () => (await page('appealed')).length === 1 && (await page('claimed')).length === 1);
    expect(await casesWithPendingEffects(bench.pool, 10)).toEqual([]);
    log.add(some.overturnedAppeal('post-p1'));
    await until(async () => (await casesWithPendingEffects(bench.pool, 10)).length);
    const newest = log.add(some.undoneEffects('post-p1')).at(-1);
    await until(async () => (await casesWithPendingEffects(bench.pool, 10)).length === 0);
    await first.stop();
    const before = await rows();
    expect(before.summaries).toMatchObject([{ status: 'decided', reports: 2, claimed_by: null }]);
    expect(before.reports).toMatchObject([{ outcome: 'overturned' }, { outcome: 'overturned' }]);
    await bench.pool.query('UPDATE recovery.checkpoint SET applied_position = NULL, applied_event_id = NULL');
    start();
    await until(async () => {
      const { rows: found } = await bench.pool.query<{ at: string | null }>(
        'SELECT applied_position::text AS at FROM recovery.checkpoint',
      );
      return found[0]?.at === String(newest?.position);
    });
    expect(await rows()).toEqual(before);
  });

  it('lists cases in both orders, in pages', async () => {
    await publish('serving');
    log.add(...['p1', 'p2', 'p3'].map((postId) => some.report(`of-${postId}`, { postId })));
    start();
    await until(async () => (await page()).length === 3);
    const idsOf = async (order: 'newest' | 'oldest') => {
      const found: string[] = [];
      let after: string | undefined;
      do {
        const { cases, next } = await casesPage(askPool(bench.pool), {
          filter: 'all',
          operatorId: '',
          order,
          after,
          limit: 1,
        });
        found.push(...cases.map(({ listed: { caseId } }) => caseId));
        after = next ?? undefined;
      } while (after !== undefined);
      return found;
    };
    const oldest = await idsOf('oldest');
    expect([...oldest].sort()).toEqual(['post-p1', 'post-p2', 'post-p3']);
    expect(await idsOf('newest')).toEqual(oldest.toReversed());
  });

  it('ends the cases of an erased person, and forgets who reported', async () => {
    await publish('serving');
    log.add(some.report('r1', { postId: 'p1', targetActorId: 'bob' }));
    log.add(
      some.report('r2', { postId: 'p2', targetActorId: 'cleo' }),
      some.report('r3', { targetActorId: 'ada' }),
    );
    start();
    await until(async () => (await page()).length === 3);
    log.add(some.erasure('bob'), some.erasure('ada'));
    await until(async () => (await page()).length === 1);
    const { summaries, reports } = await rows();
    expect(summaries).toMatchObject([{ case_id: 'post-p2', reports: 1 }]);
    expect(reports).toMatchObject([{ report_id: 'r2', reporter_actor_id: null }]);
    expect(JSON.stringify({ summaries, reports })).not.toContain('text of');
  });

  it('ends them also if one batch has the erasure with earlier ones', async () => {
    await publish('serving');
    log.add(
      some.report('r1', { postId: 'p1', targetActorId: 'bob' }),
      some.caseOpening('post-p1'),
      some.erasure('cleo'),
      some.caseClaim('post-p1'),
      some.report('r2', { postId: 'p1', targetActorId: 'bob' }),
      some.erasure('bob'),
      some.report('r3', { postId: 'p3', targetActorId: 'dan' }),
    );
    start();
    await waitForCases('post-p3');
    expect((await rows()).reports).toMatchObject([{ report_id: 'r3' }]);
  });

  it('finds decisions that a person can appeal before newer ones without a violation', async () => {
    await publish('serving');
    const reports = log.add(...['p1', 'p2'].map((postId) => some.report(`of-${postId}`, { postId })));
    const networkRevision = Number(reports.at(-1)?.position);
    log.add(
      some.caseOpening('post-p1'),
      some.caseOpening('post-p2'),
      some.caseDecision('post-p1', { networkRevision, at: 3_000 }),
      some.caseDecision('post-p2', { networkRevision, outcome: 'no_violation', effects: [], at: 4_000 }),
    );
    start();
    await until(async () => (await page('decided')).length === 2);
    const actorId = (await page())[0]?.targetActorId ?? '';
    expect(await casesAbout(bench.pool, actorId, 1)).toEqual(['post-p1']);
    expect(await casesAbout(bench.pool, actorId, 2)).toEqual(['post-p1', 'post-p2']);
  });
});
