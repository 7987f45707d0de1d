import { randomBytes, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { auditGroup } from '../../../projections/audit/audit.projection.js';
import { serving } from '../../../projections/groups.js';
import { findJob, requestJob } from '../../../projections/jobs/job.js';
import type { Job, JobKind } from '../../../projections/jobs/job.js';
import { JobRunner } from '../../../src/background/jobs/job-runner.js';
import type { Witness } from '../../../src/log/witness/witness.js';
import { MemoryLog } from '../../projections/support/memory-log.js';
import { some } from '../../projections/support/recorded.js';
import { WorkerBench } from '../../projections/support/worker.js';
import type { Worker } from '../../projections/support/worker.js';
import type { TestPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { openReadyWitness } from '../../support/witness.js';

/** A published network with one post. Its worker and its job runner run in the test's process, on demand. */
export class JobBench {
  readonly log = new MemoryLog();
  private readonly logged: string[] = [];
  private readonly ending = new AbortController();
  private running: Promise<void> | undefined;

  private constructor(
    readonly databaseUrl: string,
    private readonly bench: WorkerBench,
    readonly witness: Witness,
  ) {}

  static async open(postgres: TestPostgres): Promise<JobBench> {
    const url = await postgres.createReadStore();
    const witness = await openReadyWitness(await postgres.createDatabase());
    const jobs = new JobBench(url, WorkerBench.open(url), witness);
    jobs.log.add(some.founding('n'), some.post('p'));
    const worker = jobs.bench.start(jobs.log);
    await until(() => jobs.publishedIncarnation());
    await worker.stop();
    return jobs;
  }

  get pool(): Pool {
    return this.bench.pool;
  }

  /** Starts a worker of the published incarnation. */
  startWorker(): Worker {
    return this.bench.start(this.log);
  }

  /** Starts the job runner, optionally through another address of the read store. */
  startJobRunner(databaseUrl = this.databaseUrl): void {
    this.running ??= new JobRunner({
      group: serving,
      fixedGroups: [auditGroup],
      log: this.log,
      databaseUrl,
      witness: this.witness,
      logger: pino({ level: 'info' }, { write: (line: string) => void this.logged.push(line) }),
      ids: { uuid: randomUUID, incarnation: () => randomBytes(8).toString('hex') },
      now: Date.now,
      monotonic: () => performance.now(),
    }).run(this.ending.signal);
  }

  /** Requests a job and returns its id. */
  async request(kind: JobKind, names: readonly string[] = [], reseedWitness = false): Promise<string> {
    const id = randomUUID();
    const by = { requestedBy: 'o', reason: 'a test', now: Date.now() };
    await requestJob(this.pool, { id, kind, names, reseedWitness, ...by });
    return id;
  }

  /** Waits until the job has this state. */
  async waitForState(id: string, state: Job['state']): Promise<Job> {
    await until(async () => (await findJob(this.pool, id))?.state === state);
    return (await findJob(this.pool, id)) as Job;
  }

  /** Resolves once the runner is told to stop this job. */
  async waitUntilStopping(id: string): Promise<void> {
    await until(() => this.logged.some((line) => line.includes('stopping a job') && line.includes(id)));
  }

  /** Id of the published incarnation. */
  async publishedIncarnation(): Promise<string | undefined> {
    return (await this.bench.state())?.incarnation;
  }

  /** Ids of all incarnations. */
  async incarnations(): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ incarnation: string }>(
      'SELECT incarnation FROM recovery.incarnation',
    );
    return rows.map(({ incarnation }) => incarnation);
  }

  /** Publishes an incarnation of another release. */
  async publishAnother(incarnation: string): Promise<void> {
    await this.pool.query(
      `INSERT INTO recovery.incarnation (incarnation, schema_name, versions, created_at, build_state)
      SELECT $1, 'inc_another', '{"posts": 1}', created_at, build_state FROM recovery.incarnation LIMIT 1`,
      [incarnation],
    );
    await this.pool.query('UPDATE recovery.publication SET incarnation = $1', [incarnation]);
  }

  async close(): Promise<void> {
    this.ending.abort();
    await this.running;
    await this.bench.close();
    await this.witness.close();
  }
}
