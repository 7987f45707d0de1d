import { DatabaseError } from 'pg';
import type { Client } from 'pg';
import { fillWalSegment } from '../../base/store/fill-wal-segment.js';
import { endSession, sessionClient } from '../../base/store/session-client.js';

/** Time that a rewrite waits for its lock. Reads of the table queue behind it. */
const LOCK_MS = 300;
const LOCK_NOT_AVAILABLE = '55P03';
const QUERY_CANCELED = '57014';
/** No such table, no such schema. */
const GONE = /^(42P01|3F000)$/;

/** State of a server. Transaction ids are 64-bit. */
export interface ServerState {
  /** By the server's clock. */
  readonly now: Date;
  /** Start of the newest checkpoint. */
  readonly checkpointAt: Date;
  /** Rows deleted by a transaction before `next` are deleted by now. */
  readonly next: bigint;
  /** No session sees rows that a transaction before `oldest` deleted. */
  readonly oldest: bigint;
}

interface StateRow {
  readonly now: Date;
  readonly checkpoint_time: Date;
  readonly next: string;
  readonly running: string;
  readonly held: readonly string[];
}

/** Besides snapshots of sessions, standbys and replication slots hold back the removal of deleted rows. */
const stateSql = `
  SELECT now(), checkpoint_time, pg_snapshot_xmax(snapshot)::text AS next, pg_snapshot_xmin(snapshot)::text AS running,
    ARRAY (
      SELECT backend_xmin::text FROM pg_stat_activity
      WHERE backend_xmin IS NOT NULL AND (datname = current_database() OR datname IS NULL)
      UNION ALL SELECT xmin::text FROM pg_replication_slots WHERE xmin IS NOT NULL
      UNION ALL SELECT catalog_xmin::text FROM pg_replication_slots WHERE catalog_xmin IS NOT NULL) AS held
  FROM pg_current_snapshot() AS snapshot, pg_control_checkpoint()`;

/**
 * `locked`: another session holds a lock; nothing changed. `slow`: the limit of time was over; nothing changed.
 * `refused`: the role may not rewrite the table, which Postgres skips with a warning. `gone`: the table was dropped. An
 * error: Postgres failed at this table.
 */
export type RewriteOutcome = 'rewritten' | 'locked' | 'slow' | 'refused' | 'gone' | DatabaseError;

/** A session in a database whose tables are rewritten. Postgres ends its statement if the process dies. */
export class RewriteSession {
  private readonly client: Client;

  constructor(url: string) {
    this.client = sessionClient(url, 'plaza-erasure', { queryMs: Infinity });
  }

  async open(): Promise<void> {
    await this.client.connect();
    await this.client.query(`SET lock_timeout = '${LOCK_MS}ms'; SET client_connection_check_interval = '1s'`);
  }

  async state(): Promise<ServerState> {
    const { rows } = await this.client.query<StateRow>(stateSql);
    const [row] = rows;
    if (!row) throw new Error('Postgres did not tell its transactions and checkpoint.');
    const { now, checkpoint_time: checkpointAt, running, held } = row;
    const next = BigInt(row.next);
    // pg_stat_activity has the low 32 bits.
    const whole = (low: string): bigint => next - BigInt.asIntN(32, next - BigInt(low));
    const oldest = [BigInt(running), ...held.map(whole)].reduce((a, b) => (a < b ? a : b));
    return { now, checkpointAt, next, oldest };
  }

  /** Bytes of each table with its indexes and TOAST, by name; a table that does not exist is left out. */
  async bytesOf(tables: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.client.query<{ name: string; bytes: string }>(
      `SELECT name, pg_total_relation_size(to_regclass(name)) AS bytes FROM unnest($1::text[]) AS name
      WHERE to_regclass(name) IS NOT NULL`,
      [tables],
    );
    return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
  }

  /**
   * Writes the visible rows to new files, with new indexes, and removes the old files. `limitMs`: 0 is none.
   * @throws if the connection is lost.
   */
  async rewrite(table: string, limitMs: number): Promise<RewriteOutcome> {
    const before = await this.fileOf(table);
    try {
      await this.client.query(`SET statement_timeout = ${limitMs}`);
      await this.client.query(`VACUUM FULL ${table}`);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      if (error.code === LOCK_NOT_AVAILABLE) return 'locked';
      if (error.code === QUERY_CANCELED && limitMs > 0) return 'slow';
      return GONE.test(error.code ?? '') ? 'gone' : error;
    } finally {
      await this.client.query('SET statement_timeout = 0').catch(() => undefined);
    }
    return (await this.fileOf(table)) === before ? 'refused' : 'rewritten';
  }

  /**
   * Lets the next checkpoint remove the write-ahead log up to here. Returns the time by the server's clock: a checkpoint
   * that starts later has done so.
   */
  async fillWal(): Promise<Date> {
    await fillWalSegment(this.client);
    return (await this.state()).now;
  }

  /** Also ends a running statement, which rejects. */
  close(): Promise<void> {
    return endSession(this.client);
  }

  private async fileOf(table: string): Promise<string | undefined> {
    const { rows } = await this.client.query<{ file: string }>(
      'SELECT pg_relation_filenode(to_regclass($1))::text AS file',
      [table],
    );
    return rows[0]?.file;
  }
}
