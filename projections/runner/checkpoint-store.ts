import type { ClientBase } from 'pg';
import type { Checkpoint } from '../../src/log/event-log.js';
import type { Place } from './faults.js';

/** Channel of `NOTIFY` on which each commit says `{"incarnation" or "group": …, "position": "…"}`. */
export const POSITION_CHANNEL = 'plaza_position';

interface Row {
  readonly applied_position: string | null;
  readonly applied_event_id: string | null;
}

/** How far a group came: a row that changes in the same transaction as the group's tables. */
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

  /** Of a group that is not part of an incarnation. Its row must be there. */
  static ofGroup(name: string): CheckpointStore {
    return new CheckpointStore('recovery.checkpoint', 'group_name', 'group', name);
  }

  /** The newest event that was applied; undefined: none. */
  async read(client: ClientBase): Promise<Checkpoint | undefined> {
    const { rows } = await client.query<Row>(
      `SELECT applied_position, applied_event_id FROM ${this.table} WHERE ${this.column} = $1`,
      [this.key],
    );
    const row = rows[0];
    if (!row) throw new Error(`${this.table} has no row for ${this.key}`);
    if (row.applied_position === null || row.applied_event_id === null) return undefined;
    return { position: BigInt(row.applied_position), eventId: row.applied_event_id };
  }

  /**
   * Moves on, and tells whoever listens at the commit. False: the row is not at `from`, so another worker was here and
   * the transaction must not be committed. Takes the row's lock: run it first.
   */
  async advance(client: ClientBase, from: Checkpoint | undefined, to: Checkpoint): Promise<boolean> {
    const { rowCount } = await client.query({
      name: `progress.${this.kind}`,
      text: `
        WITH advanced AS (
          UPDATE ${this.table}
          SET applied_position = $3, applied_event_id = $4,
            stopped_at_position = NULL, stopped_event_id = NULL, stopped_reason = NULL
          WHERE ${this.column} = $1 AND applied_position IS NOT DISTINCT FROM $2::numeric
          RETURNING ${this.column} AS key, applied_position::text AS position
        )
        SELECT pg_notify('${POSITION_CHANNEL}',
          json_build_object('${this.kind}', key, 'position', position)::text) FROM advanced`,
      values: [this.key, from ? String(from.position) : null, String(to.position), to.eventId],
    });
    return rowCount === 1;
  }

  /** Forgets that the group stood still: it goes on, also where nothing is there to be applied. */
  async resume(client: ClientBase): Promise<void> {
    await client.query(
      `UPDATE ${this.table} SET stopped_at_position = NULL, stopped_event_id = NULL, stopped_reason = NULL
      WHERE ${this.column} = $1 AND stopped_reason IS NOT NULL`,
      [this.key],
    );
  }

  /** Notes why the group stands still, for operators to see. {@link resume} and the next event that is applied clear it. */
  async stop(client: ClientBase, reason: string, event?: Place): Promise<void> {
    await client.query(
      `UPDATE ${this.table} SET stopped_at_position = $2, stopped_event_id = $3, stopped_reason = $4
      WHERE ${this.column} = $1`,
      [this.key, event?.position === undefined ? null : String(event.position), event?.id ?? null, reason],
    );
  }
}
