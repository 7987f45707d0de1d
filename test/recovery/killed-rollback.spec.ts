import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { Gates } from './support/gates.js';
import { JobBench } from './support/job-bench.js';

let postgres: TestPostgres;
let jobs: JobBench;
let gates: Gates;

beforeAll(async () => {
  postgres = await startTestPostgres();
  jobs = await JobBench.open(postgres);
});
afterAll(async () => {
  await gates?.close();
  await jobs?.close();
  await postgres?.stop();
});

it('a rollback that is killed while it records the replaced job commits both changes or neither, and both on the retry', async () => {
  const before = await jobs.publishedIncarnation();
  jobs.startJobRunner();
  const rebuild = await jobs.request('rebuild');
  const { incarnation: rebuilt } = await jobs.waitForState(rebuild, 'published');
  gates = await Gates.install(jobs.databaseUrl, [
    { name: 'noting', at: 'BEFORE UPDATE ON recovery.job', when: `NEW.state = 'rolled_back'` },
  ]);

  const rollback = await jobs.request('rollback');
  await gates.waitUntilReached('noting');
  await gates.terminateSessions('noting');
  expect(await jobs.publishedIncarnation()).toBe(rebuilt);
  await gates.open('noting');

  const { incarnation: again } = await jobs.waitForState(rollback, 'published');
  expect(await jobs.publishedIncarnation()).toBe(again);
  expect([before, rebuilt]).not.toContain(again);
  expect(await jobs.waitForState(rebuild, 'rolled_back')).toMatchObject({ incarnation: rebuilt });
});
