import { randomBytes, randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { pino } from 'pino';
import { serving } from '../../../projections/groups.js';
import { GroupRunner } from '../../../projections/runner/group-runner.js';
import type { GroupRunnerOptions } from '../../../projections/runner/group-runner.js';
import type { Group } from '../../../projections/runner/projection.js';
import { fixedSchemaTarget } from '../../../projections/runner/target.js';
import type { EventLog } from '../../../src/log/event-log.js';
import { PUBLICATION_CHANNEL } from '../../../projections/incarnations/incarnation.js';
import { readPublicationState } from '../../../projections/incarnations/recovery-state.js';
import type { PublicationState } from '../../../projections/incarnations/recovery-state.js';
import { servingLock, servingTarget } from '../../../projections/incarnations/serving-target.js';
import type { Witness } from '../../../src/log/witness/witness.js';
import { until } from '../../support/until.js';

/** The serving group of a later release. */
export const nextRelease: Group = {
  name: serving.name,
  projections: serving.projections.map((projection) => ({ ...projection, version: projection.version + 1 })),
};

/** A worker of the serving group inside the test's own process. */
export interface Worker {
  /** Settles when the group has stopped. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** A read store with the tables of the recovery state, and workers on it. */
export class WorkerBench {
  private readonly workers: Worker[] = [];
  /** The clock of the workers' checks, which only a test moves. */
  monotonic = () => 0;
  /** The log lines of all workers. */
  readonly logged: string[] = [];
  private readonly logger = pino({ level: 'info' }, { write: (line: string) => void this.logged.push(line) });

  private constructor(
    readonly databaseUrl: string,
    readonly pool: Pool,
  ) {}

  /** `databaseUrl` comes from `createReadStore()` (test/support/postgres.ts). */
  static open(databaseUrl: string): WorkerBench {
    const pool = new Pool({ connectionString: databaseUrl, max: 2 });
    // A killed server breaks idle connections.
    pool.on('error', () => undefined);
    return new WorkerBench(databaseUrl, pool);
  }

  async close(): Promise<void> {
    for (const worker of this.workers) await worker.stop();
    await this.pool.end();
  }

  start(log: EventLog, group: Group = serving, witness?: Witness): Worker {
    const ids = {
      uuid: randomUUID,
      networkId: () => randomBytes(8).toString('hex'),
      incarnation: () => randomBytes(8).toString('hex'),
    };
    const options = {
      group,
      log,
      databaseUrl: this.databaseUrl,
      witness,
      logger: this.logger,
      ids,
      now: () => 0,
      monotonic: () => this.monotonic(),
    };
    return this.run({
      group,
      log,
      lock: servingLock(group),
      news: PUBLICATION_CHANNEL,
      prepare: (client, signal) => servingTarget(options, client, signal),
    });
  }

  /** A worker of a group with tables of its own, in an existing schema. */
  startWithOwnTables(log: EventLog, group: Group, schema: string): Worker {
    return this.run({ group, log, prepare: (client) => fixedSchemaTarget(client, group, schema) });
  }

  /** A worker of any target. */
  run(options: Omit<GroupRunnerOptions, 'databaseUrl' | 'logger'>): Worker {
    const { databaseUrl, logger } = this;
    const stopping = new AbortController();
    const ended = new GroupRunner({ ...options, databaseUrl, logger }).run(stopping.signal);
    const worker = {
      ended,
      stop: async () => {
        stopping.abort();
        await ended;
      },
    };
    this.workers.push(worker);
    return worker;
  }

  /** Breaks the connections of all workers, as a short network outage does. They reconnect by themselves. */
  async breakConnections(): Promise<void> {
    await this.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name LIKE 'plaza-projector-%' AND datname = current_database()`,
    );
  }

  state(): Promise<PublicationState | undefined> {
    return readPublicationState(this.pool);
  }

  /** Ids of the posts in the published incarnation, and the sum of its post counts. */
  async posts(): Promise<{ readonly ids: readonly string[]; readonly counted: number }> {
    const { schemaName } = (await this.state()) ?? {};
    if (schemaName === undefined) return { ids: [], counted: 0 };
    const { rows } = await this.pool.query<{ ids: string[]; counted: string }>(
      `SELECT ARRAY(SELECT id FROM ${schemaName}.post ORDER BY position) AS ids,
        (SELECT coalesce(sum(posts), 0) FROM ${schemaName}.post_count) AS counted`,
    );
    return { ids: rows[0]?.ids ?? [], counted: Number(rows[0]?.counted) };
  }

  /** Waits until the published incarnation has exactly these posts. */
  waitForPosts(...ids: readonly string[]): Promise<true> {
    return until(async () => JSON.stringify((await this.posts()).ids) === JSON.stringify(ids));
  }

  async stopped(): Promise<{ position: string | null; event: string | null; reason: string } | undefined> {
    const { rows } = await this.pool.query<{ position: string | null; event: string | null; reason: string }>(
      `SELECT stopped_at_position AS position, stopped_event_id AS event, stopped_reason AS reason
      FROM recovery.incarnation WHERE stopped_reason IS NOT NULL`,
    );
    return rows[0];
  }
}
