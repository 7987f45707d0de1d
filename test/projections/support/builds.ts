import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { serving } from '../../../projections/groups.js';
import { versionsOf } from '../../../projections/runner/projection.js';
import type { Group } from '../../../projections/runner/projection.js';
import type { EventLog } from '../../../src/log/event-log.js';
import { buildIncarnation } from '../../../projections/incarnations/building/build-incarnation.js';
import type { BuildOptions } from '../../../projections/incarnations/building/build-incarnation.js';
import { verifyIncarnation } from '../../../projections/incarnations/building/verify-incarnation.js';
import type { VerificationResult } from '../../../projections/incarnations/building/verify-incarnation.js';
import { createIncarnation, dropIncarnation } from '../../../projections/incarnations/incarnation.js';
import type { Incarnation } from '../../../projections/incarnations/incarnation.js';

/** Builds incarnations of a log beside one another, and verifies them. */
export class Builds {
  private constructor(
    readonly databaseUrl: string,
    readonly pool: Pool,
  ) {}

  /** `databaseUrl` comes from `createReadStore()` (test/support/postgres.ts). */
  static open(databaseUrl: string): Builds {
    const pool = new Pool({ connectionString: databaseUrl, max: 2 });
    // A killed server breaks idle connections.
    pool.on('error', () => undefined);
    return new Builds(databaseUrl, pool);
  }

  async begin(group: Group = serving): Promise<Incarnation> {
    const client = await this.pool.connect();
    try {
      return await createIncarnation(client, {
        id: randomBytes(8).toString('hex'),
        versions: versionsOf(group),
        tables: group.projections.map(({ tables }) => tables),
        now: 0,
      });
    } finally {
      client.release();
    }
  }

  /** Builds to the end of the log: in bulk the first time, then like live application. */
  build(log: EventLog, incarnation: Incarnation, options: Partial<BuildOptions> = {}): Promise<void> {
    return buildIncarnation(this.optionsOf(log, incarnation, options));
  }

  verify(
    log: EventLog,
    incarnation: Incarnation,
    options: Partial<BuildOptions> = {},
  ): Promise<VerificationResult> {
    return verifyIncarnation(this.optionsOf(log, incarnation, options));
  }

  async drop(incarnation: Incarnation): Promise<void> {
    const client = await this.pool.connect();
    await dropIncarnation(client, incarnation);
    client.release();
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  private optionsOf(log: EventLog, incarnation: Incarnation, options: Partial<BuildOptions>): BuildOptions {
    const { databaseUrl } = this;
    return {
      group: serving,
      log,
      databaseUrl,
      incarnation,
      signal: new AbortController().signal,
      ...options,
    };
  }
}
