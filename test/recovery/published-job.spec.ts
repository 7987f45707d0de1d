import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { findJob } from '../../projections/jobs/job.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import type { TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';
import { Gates } from './support/gates.js';
import { JobBench } from './support/job-bench.js';

let postgres: TestPostgres;
let proxy: TcpProxy;
let jobs: JobBench;
let gates: Gates;
let served: string | undefined;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  jobs = await JobBench.open(postgres);
  served = await jobs.publishedIncarnation();
  gates = await Gates.install(jobs.databaseUrl, [
    { name: 'publishing', at: 'BEFORE UPDATE ON recovery.publication' },
  ]);
  const url = new URL(jobs.databaseUrl);
  proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  jobs.startJobRunner(url.href);
});
afterEach(async () => {
  await gates?.close();
  await jobs?.close();
  await proxy?.close();
});

/** Starts a rebuild and waits until it is about to publish. */
async function startRebuildUntilPublication(): Promise<string> {
  const id = await jobs.request('rebuild');
  await gates.waitUntilReached('publishing');
  return id;
}

/** Lets the publication happen, and drops its answer. */
async function publishUnanswered(): Promise<void> {
  proxy.loseAnswerTo('COMMIT');
  await gates.open('publishing');
  await until(async () => (await jobs.publishedIncarnation()) !== served);
}

it('a rebuild that published is recorded as published, even if it was preempted and never got the answer', async () => {
  const rebuild = await startRebuildUntilPublication();
  const recovery = await jobs.request('recover');
  await jobs.waitUntilStopping(rebuild);
  await publishUnanswered();
  const { incarnation: recovered } = await jobs.waitForState(recovery, 'published');
  const { state, incarnation, message } = (await findJob(jobs.pool, rebuild)) ?? {};
  expect([state, message]).toEqual(['published', `incarnation ${incarnation} is published`]);
  expect(await jobs.publishedIncarnation()).toBe(recovered);
  expect(await jobs.incarnations()).toContain(incarnation);
});

it('a rebuild that was paused after it published, and never got the answer, is not published again', async () => {
  const rebuild = await startRebuildUntilPublication();
  await jobs.pool.query(`UPDATE recovery.job SET state = 'paused' WHERE id = $1`, [rebuild]);
  await jobs.waitUntilStopping(rebuild);
  await publishUnanswered();
  const { incarnation } = await jobs.waitForState(rebuild, 'published');
  expect(await jobs.publishedIncarnation()).toBe(incarnation);
});

it('a job that has ended publishes nothing', async () => {
  const rebuild = await startRebuildUntilPublication();
  await jobs.pool.query(`UPDATE recovery.job SET state = 'failed' WHERE id = $1`, [rebuild]);
  await gates.open('publishing');
  await jobs.waitForState(await jobs.request('rollback'), 'failed');
  expect(await jobs.publishedIncarnation()).toBe(served);
  expect((await findJob(jobs.pool, rebuild))?.state).toBe('failed');
});
