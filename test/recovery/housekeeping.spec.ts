import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { serving } from '../../projections/groups.js';
import { groupLock } from '../../projections/runner/group-runner.js';
import { dropObsoleteIncarnations } from '../../projections/incarnations/housekeeping.js';
import { recordJobIncarnation, requestJob } from '../../projections/jobs/job.js';
import { servingLock } from '../../projections/incarnations/serving-target.js';
import { Builds } from '../projections/support/builds.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { some } from '../projections/support/recorded.js';
import { nextRelease, WorkerBench } from '../projections/support/worker.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

let postgres: TestPostgres;
let bench: WorkerBench;
let builds: Builds;
let client: Client;
let deploying: Client;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const databaseUrl = await postgres.createReadStore();
  bench = WorkerBench.open(databaseUrl);
  builds = Builds.open(databaseUrl);
  client = new Client({ connectionString: databaseUrl });
  deploying = new Client({ connectionString: databaseUrl });
  await client.connect();
});
afterAll(async () => {
  await Promise.all([bench?.close(), builds?.close(), client?.end(), deploying?.end()]);
  await postgres?.stop();
});

const runHousekeeping = (before: number) =>
  dropObsoleteIncarnations(client, {
    groupName: serving.name,
    before: new Date(before),
    logger: { info: () => undefined },
  });

const keptIncarnations = async () =>
  (await client.query<{ incarnation: string }>('SELECT incarnation FROM recovery.incarnation')).rows.map(
    ({ incarnation }) => incarnation,
  );

it('drops replaced and abandoned incarnations when they expire, and none that is still needed', async () => {
  const log = new MemoryLog();
  log.add(some.founding('n'), some.post('p1'));
  const worker = bench.start(log);
  const published = (await until(() => bench.state())).incarnation;
  const retired = await builds.begin();
  await client.query('UPDATE recovery.incarnation SET retired_at = to_timestamp(5) WHERE incarnation = $1', [
    retired.incarnation,
  ]);
  const [, paused, deployed] = [await builds.begin(), await builds.begin(), await builds.begin(nextRelease)];
  const job = { id: randomUUID(), kind: 'rebuild', names: [], requestedBy: 'o', reason: '', now: 0 } as const;
  await requestJob(client, job);
  await recordJobIncarnation(client, job.id, paused.incarnation);
  await client.query(`UPDATE recovery.job SET state = 'paused'`);

  await runHousekeeping(0);
  expect(await keptIncarnations()).toHaveLength(5);

  // A worker of the new release holds this lock during its build.
  await deploying.connect();
  await deploying.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [
    groupLock(servingLock(nextRelease)),
  ]);
  await runHousekeeping(1_000);
  expect((await keptIncarnations()).toSorted()).toEqual(
    [published, retired.incarnation, paused.incarnation, deployed.incarnation].toSorted(),
  );
  await deploying.end();
  await runHousekeeping(5_001);
  expect((await keptIncarnations()).toSorted()).toEqual([published, paused.incarnation].toSorted());
  const schemas = await client.query(`SELECT FROM pg_namespace WHERE nspname LIKE 'inc_%'`);
  expect(schemas.rowCount).toBe(2);
  await worker.stop();
});
