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
  const before = await jobs.published();
  jobs.run();
  const rebuild = await jobs.ask('rebuild');
  const { incarnation: rebuilt } = await jobs.once(rebuild, 'published');
  gates = await Gates.shut(jobs.databaseUrl, [
    { name: 'noting', at: 'BEFORE UPDATE ON recovery.job', when: `NEW.state = 'rolled_back'` },
  ]);

  const rollback = await jobs.ask('rollback');
  await gates.reached('noting');
  await gates.breakOff('noting');
  expect(await jobs.published()).toBe(rebuilt);
  await gates.open('noting');

  const { incarnation: again } = await jobs.once(rollback, 'published');
  expect(await jobs.published()).toBe(again);
  expect([before, rebuilt]).not.toContain(again);
  expect(await jobs.once(rebuild, 'rolled_back')).toMatchObject({ incarnation: rebuilt });
});
