import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { authorityGroup, projectInline } from '../../projections/authority/authority.projection.js';
import { CLEAR_AUTHORITY } from '../../src/base/store/authority/clear-authority.js';
import { LogUnavailable } from '../../src/log/event-log.js';
import { moveJob, runnableStates, requestJob } from '../../projections/jobs/job.js';
import {
  authorityTarget,
  beginAuthorityRebuild,
  waitForAuthorityRebuild,
} from '../../projections/incarnations/authority-rebuild.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { some } from '../projections/support/recorded.js';
import { WorkerBench } from '../projections/support/worker.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { Gates } from './support/gates.js';
import { JobBench } from './support/job-bench.js';

let postgres: TestPostgres;
let bench: WorkerBench;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  bench = WorkerBench.open(await postgres.createReadStore());
});
afterEach(() => bench?.close());

/** Its head is unavailable until a test says otherwise. */
class SlowLog extends MemoryLog {
  isHeadKnown = false;

  override head(): Promise<bigint | undefined> {
    return this.isHeadKnown ? super.head() : Promise.reject(new LogUnavailable('not yet'));
  }
}

/** Starts a worker of the authority group. */
function startAuthorityWorker(log: MemoryLog): void {
  bench.run({
    group: authorityGroup,
    log,
    prepare: (client) => authorityTarget(authorityGroup, log, client),
  });
}

const isRebuilding = async ({ pool }: Pick<WorkerBench, 'pool'>) =>
  (await pool.query('SELECT FROM authority.deriving')).rowCount === 1;
const hasAccount = async (actorId: string) =>
  (await bench.pool.query('SELECT FROM authority.account WHERE actor_id = $1', [actorId])).rowCount === 1;

describe('the rebuilt authority', () => {
  it('is trusted after a log restore only once the log was compared with the published read models', async () => {
    const before = new MemoryLog();
    before.add(some.founding('n'), some.account('ada'), some.post('p'));
    const worker = bench.start(before);
    await until(async () => (await bench.state())?.status === 'serving');
    await worker.stop();

    const restored = new SlowLog();
    restored.add(some.founding('n'), some.account('ada'));
    await beginAuthorityRebuild(bench.pool, 0);
    startAuthorityWorker(restored);
    await until(() => hasAccount('ada'));
    await until(() => bench.logged.some((line) => line.includes('not yet')));
    expect(await isRebuilding(bench)).toBe(true);

    restored.isHeadKnown = true;
    await until(async () => !(await isRebuilding(bench)));
    expect(await bench.state()).toMatchObject({
      status: 'quarantined',
      reason: expect.stringMatching(/^The log was rolled back/),
    });
  });

  it('is not trusted while a recovery runs, but is after that recovery failed', async () => {
    const log = new MemoryLog();
    log.add(some.founding('n'));
    const [id, now] = [randomUUID(), 0];
    await requestJob(bench.pool, { id, kind: 'recover', names: [], requestedBy: 'o', reason: 'a test', now });
    await beginAuthorityRebuild(bench.pool, 0);
    startAuthorityWorker(log);
    for (const actorId of ['ada', 'bob']) {
      log.add(some.account(actorId));
      await until(() => hasAccount(actorId));
      // The worker is told of the head repeatedly.
      await pause(200);
      expect(await isRebuilding(bench)).toBe(true);
    }
    // A failed recovery stays open until an operator resumes it.
    await waitForAuthorityRebuild(bench.pool, pino({ level: 'silent' }));
    await moveJob(bench.pool, id, runnableStates, 'failed', now, 'a test');
    log.add(some.account('eve'));
    await until(async () => !(await isRebuilding(bench)));
  });
});

it('the rebuilt authority has applications as they were changed, however often events are applied', async () => {
  const log = new MemoryLog();
  const change = { redirectUris: ['https://new.example/'], scopes: ['read'], removedScopes: ['post:create'] };
  const recorded = log.add(
    some.founding('n'),
    some.application('app', { scopes: ['post:create', 'read'] }),
    some.secretRotation('app'),
    some.applicationChange('app', { ...change, formerNames: [{ name: 'App app', until: 1_500 }] }),
    some.application('calm'),
    some.secretRotation('calm'),
  );
  const rows = async () =>
    (
      await bench.pool.query(
        `SELECT app_id, name, redirect_uris, scopes, former_names, change_revision, is_ending_grants, identity_changed_at
          FROM authority.application WHERE registered_at IS NOT NULL ORDER BY app_id`,
      )
    ).rows;
  const expected = [
    {
      app_id: 'app',
      name: 'The new app',
      redirect_uris: change.redirectUris,
      scopes: ['read'],
      former_names: [{ name: 'App app', until: 1_500 }],
      change_revision: '0',
      is_ending_grants: true,
      identity_changed_at: '1500',
    },
    expect.objectContaining({
      app_id: 'calm',
      name: 'App calm',
      change_revision: '-1',
      identity_changed_at: null,
    }),
  ];
  startAuthorityWorker(log);
  await until(async () => (await rows()).at(-1)?.app_id === 'calm');
  expect(await rows()).toEqual(expected);

  await projectInline(recorded.toReversed(), bench.pool);
  expect(await rows()).toEqual(expected);
  await bench.pool.query(CLEAR_AUTHORITY);
  await projectInline(recorded, bench.pool);
  expect(await rows()).toEqual(expected);
});

it('a recovery invalidates the authority that was derived before it', async () => {
  const jobs = await JobBench.open(postgres);
  const gates = await Gates.install(jobs.databaseUrl, [
    { name: 'build', at: 'BEFORE INSERT ON recovery.incarnation' },
  ]);
  try {
    await jobs.request('recover');
    jobs.startJobRunner();
    await gates.waitUntilReached('build');
    expect(await isRebuilding(jobs)).toBe(true);
  } finally {
    await gates.close();
    await jobs.close();
  }
});
