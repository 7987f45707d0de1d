import { DatabaseError } from 'pg';
import type { ClientBase, Pool, QueryConfig } from 'pg';
import { POSITION_CHANNEL } from '../../src/base/store/notification-listener.js';
import { HAS_BEGUN } from '../../src/base/store/transaction.js';
import type { Checkpoint } from '../../src/log/event-log.js';
import type { FaultyEvent } from './faults.js';

interface Row {
  readonly applied_position: string | null;
  readonly applied_event_id: string | null;
}

/** Not a number: the cast of the statement fails, and its error quotes this text. */
const MOVED = 'the checkpoint has moved';
const INVALID_TEXT = '22P02';

export const hasMoved = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === INVALID_TEXT && error.message.includes(MOVED);

/** The checkpoint of a group: a row that changes in the same transaction as the group's tables. */
export class CheckpointStore {
  private constructor(
    private readonly table: string,
    private readonly column: string,
    private readonly kind: 'incarnation' | 'group',
    private readonly key: string,
  ) {}

  static ofIncarnation(incarnation: string): CheckpointStore {
    return new CheckpointStore('recovery.incarnation', 'incarnation', 'incarnation', incarnation);
  }

  static ofGroup(name: string): CheckpointStore {
    return new CheckpointStore('recovery.checkpoint', 'group_name', 'group', name);
  }

  /** The position of the newest event that was applied. Undefined: there is none yet, or no row yet. */
  async position(database: Pool): Promise<bigint | undefined> {
    const position = (await this.row(database))?.applied_position;
    return position == null ? undefined : BigInt(position);
  }

  /** Undefined: no event was applied yet. @throws {Error} the row is missing. */
  async read(client: ClientBase): Promise<Checkpoint | undefined> {
    const row = await this.row(client);
    if (!row)
      throw new Error(
        `the checkpoint of the ${this.kind} ${this.key} is missing: ${this.table} has no such row`,
      );
    if (row.applied_position === null || row.applied_event_id === null) return undefined;
    return { position: BigInt(row.applied_position), eventId: row.applied_event_id };
  }

  private async row(database: ClientBase | Pool): Promise<Row | undefined> {
    const { rows } = await database.query<Row>(
      `SELECT applied_position, applied_event_id FROM ${this.table} WHERE ${this.column} = $1`,
      [this.key],
    );
    return rows[0];
  }

  /**
   * The statement that moves the checkpoint and notifies listeners at the commit. It takes the row's lock, so it must
   * run first. Fails, as {@link hasMoved} tells, if the row is not at `from`, since another worker moved the checkpoint,
   * or if the transaction did not begin.
   */
  advance(from: Checkpoint | undefined, to: Checkpoint): QueryConfig {
    return {
      name: `progress.${this.kind}`,
      text: `
        WITH advanced AS (
          UPDATE ${this.table}
          SET applied_position = $3, applied_event_id = $4,
            stopped_at_position = NULL, stopped_event_id = NULL, stopped_reason = NULL
          WHERE ${this.column} = $1 AND applied_position IS NOT DISTINCT FROM $2::numeric
            AND ${HAS_BEGUN}
          RETURNING 1
        )
        SELECT pg_notify('${POSITION_CHANNEL}',
            json_build_object('${this.kind}', $1::text, 'position', $3::numeric::text)::text),
          CASE count(*) WHEN 1 THEN '1' ELSE '${MOVED}' END::integer
        FROM advanced`,
      values: [this.key, from ? String(from.position) : null, String(to.position), to.eventId],
    };
  }

  async clearStop(client: ClientBase): Promise<void> {
    await client.query(
      `UPDATE ${this.table} SET stopped_at_position = NULL, stopped_event_id = NULL, stopped_reason = NULL
      WHERE ${this.column} = $1 AND stopped_reason IS NOT NULL`,
      [this.key],
    );
  }

  /** Records for operators why the group stopped. {@link clearStop} and the next applied event clear the record. */
  async recordStop(client: ClientBase, reason: string, event?: FaultyEvent): Promise<void> {
    await client.query(
      `UPDATE ${this.table} SET stopped_at_position = $2, stopped_event_id = $3, stopped_reason = $4
      WHERE ${this.column} = $1`,
      [this.key, event?.position === undefined ? null : String(event.position), event?.id ?? null, reason],
    );
  }
}
