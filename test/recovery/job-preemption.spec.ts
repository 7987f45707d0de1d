import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { quarantine } from '../../projections/incarnations/incarnation.js';
import { nextRunnableJob } from '../../projections/jobs/job.js';
import { some } from '../projections/support/recorded.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { Gates } from './support/gates.js';
import { JobBench } from './support/job-bench.js';

let postgres: TestPostgres;
let jobs: JobBench;
let gates: Gates | undefined;
let served: string;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  jobs = await JobBench.open(postgres);
  served = (await jobs.publishedIncarnation()) ?? '';
});
afterEach(async () => {
  await gates?.close();
  gates = undefined;
  await jobs?.close();
});

const preemptedByRecovery = expect.stringContaining('A recovery was requested. It has priority');

/** Sessions that record the failure of a job and wait for the lock of its row. */
const sessionsThatRecordAFailure = `
  SELECT FROM pg_stat_activity WHERE application_name = 'plaza-jobs' AND datname = current_database()
    AND wait_event_type = 'Lock' AND query LIKE 'UPDATE recovery.job SET state = $3, message%'`;

/** Starts a rebuild that never ends. */
async function startRebuild(): Promise<string> {
  gates = await Gates.install(jobs.databaseUrl, [
    {
      name: 'finishing',
      at: 'BEFORE UPDATE ON recovery.incarnation',
      when: 'cardinality(NEW.build_steps) > cardinality(OLD.build_steps)',
    },
  ]);
  const id = await jobs.request('rebuild');
  jobs.startJobRunner();
  await gates.waitUntilReached('finishing');
  return id;
}

/** Starts a rollback that never ends, because it never reaches the published position. */
async function startRollback(): Promise<string> {
  jobs.startJobRunner();
  await jobs.waitForState(await jobs.request('rebuild'), 'published');
  await jobs.pool.query('UPDATE recovery.incarnation SET applied_position = 1000000 WHERE incarnation = $1', [
    await jobs.publishedIncarnation(),
  ]);
  const id = await jobs.request('rollback');
  await jobs.waitForState(id, 'running');
  return id;
}

describe('a running rebuild', () => {
  it('is preempted by a recovery as soon as one is requested', async () => {
    const rebuild = await startRebuild();
    const recovery = await jobs.request('recover');
    const { message, incarnation } = await jobs.waitForState(rebuild, 'failed');
    expect(message).toEqual(preemptedByRecovery);
    await gates?.open('finishing');
    const { incarnation: recovered } = await jobs.waitForState(recovery, 'published');
    expect(await jobs.publishedIncarnation()).toBe(recovered);
    expect(await jobs.incarnations()).not.toContain(incarnation);
  });

  it('fails when the incarnation it would replace is quarantined, and says how to recover', async () => {
    const rebuild = await startRebuild();
    await quarantine(jobs.pool, served, 'The log was set back.');
    const { message } = await jobs.waitForState(rebuild, 'failed');
    expect(message).toMatch(/in quarantine \(The log was set back\.\).* plaza recovery apply/);
    await gates?.open('finishing');
    expect(await until(async () => (await jobs.incarnations()).length === 1)).toBe(true);
    expect(await jobs.publishedIncarnation()).toBe(served);
  });

  it('fails when another incarnation is published meanwhile', async () => {
    const rebuild = await startRebuild();
    await jobs.publishAnother('another');
    const { message } = await jobs.waitForState(rebuild, 'failed');
    expect(message).toMatch(/changed meanwhile, to incarnation another\. .* start again/);
  });

  it('of a group with its own tables is also preempted, even if its worker is gone', async () => {
    const rebuild = await jobs.request('rebuild', ['audit']);
    jobs.startJobRunner();
    await jobs.waitForState(rebuild, 'running');
    const recovery = await jobs.request('recover');
    expect((await jobs.waitForState(rebuild, 'failed')).message).toEqual(preemptedByRecovery);
    await jobs.waitForState(recovery, 'published');
  });
});

describe('a running rollback', () => {
  it('is preempted by a recovery, and its incarnation is kept', async () => {
    const rollback = await startRollback();
    const recovery = await jobs.request('recover');
    expect((await jobs.waitForState(rollback, 'failed')).message).toEqual(preemptedByRecovery);
    await jobs.waitForState(recovery, 'published');
    expect(await jobs.incarnations()).toContain(served);
  });

  it('fails when the incarnation it would replace is quarantined', async () => {
    const rollback = await startRollback();
    await quarantine(jobs.pool, (await jobs.publishedIncarnation()) ?? '', 'The log was set back.');
    expect((await jobs.waitForState(rollback, 'failed')).message).toContain(
      'in quarantine (The log was set back.)',
    );
    expect(await jobs.incarnations()).toContain(served);
  });
});

describe('a rebuild that is paused at the moment it fails', () => {
  it('keeps its unfinished incarnation for the next run', async () => {
    gates = await Gates.install(jobs.databaseUrl, [
      { name: 'begun', at: 'BEFORE INSERT ON recovery.incarnation' },
    ]);
    const [unreadable] = jobs.log.add(some.post('q'));
    jobs.log.setUnreadable(unreadable?.id ?? '', true);
    const rebuild = await jobs.request('rebuild');
    jobs.startJobRunner();
    await gates.waitUntilReached('begun');
    const operator = await jobs.pool.connect();
    await operator.query(`BEGIN; UPDATE recovery.job SET state = 'paused' WHERE id = '${rebuild}'`);
    await gates.open('begun');
    await until(async () => (await jobs.pool.query(sessionsThatRecordAFailure)).rowCount);
    await operator.query('COMMIT');
    operator.release();

    await jobs.waitForState(await jobs.request('rollback'), 'failed');
    const { incarnation } = await jobs.waitForState(rebuild, 'paused');
    expect(await jobs.incarnations()).toContain(incarnation);
  });
});

describe('among requested jobs', () => {
  it('a recovery comes first, whatever was requested before', async () => {
    await jobs.request('rebuild');
    const recovery = await jobs.request('recover');
    expect((await nextRunnableJob(jobs.pool))?.id).toBe(recovery);
  });
});
