import type { ClientBase, Pool } from 'pg';
import type { PositionListener } from '../incarnations/position-listener.js';
import { NotWitnessed } from '../log/event-log.js';
import type { Recorded } from '../log/recorded.js';
import type { StoredEvent } from '../log/registry.js';
import { hiddenBy, isRestriction } from '../log/restrictions.js';
import { isUnreachable } from '../store/unreachable.js';

/** How long read models may take to apply a restriction before a row takes their place. Most take some milliseconds. */
const PATIENCE_MS = 250;
/**
 * Rows at a time, since each read goes through all of them. A worker that is away for longer has to come back before
 * more is acknowledged. Operators' restrictions have as many again: nobody's deletions take their place.
 */
export const MOST_OUTSTANDING = 1_000;

/**
 * $1: restrictions as JSON. $2: most rows. Only what is published and serving counts as having applied one: after a
 * recovery, positions are those of another log.
 */
const holdSql = `
  WITH asked AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1) AS row(event_id uuid, witness_epoch numeric, position numeric, subject text)
    WHERE NOT EXISTS (
      SELECT FROM recovery.publication JOIN recovery.incarnation USING (incarnation)
      WHERE publication.status = 'serving' AND incarnation.applied_position >= row.position)
    AND NOT EXISTS (SELECT FROM recovery.outstanding_restriction held WHERE held.event_id = row.event_id)
  ), room AS MATERIALIZED (
    SELECT count(*) < $2 AS is_left FROM (SELECT FROM recovery.outstanding_restriction LIMIT $2) counted
  ), held AS (
    INSERT INTO recovery.outstanding_restriction (event_id, witness_epoch, position, subject)
    SELECT event_id, witness_epoch, position, subject FROM asked, room WHERE room.is_left
    ON CONFLICT (event_id) DO NOTHING
  )
  SELECT room.is_left OR NOT EXISTS (SELECT FROM asked) AS is_held FROM room`;

type Appended = Pick<Recorded, 'id' | 'event' | 'metadata' | 'position'>;

/** Restrictions that are acknowledged before the published read models have applied them: a row each (docs/adr/0016). */
export class OutstandingRestrictions {
  /** `positions` tells when to look; what counts is what Postgres says then. */
  constructor(
    private readonly pool: Pool,
    private readonly positions: Pick<PositionListener, 'waitFor'>,
  ) {}

  /**
   * Resolves once every read that begins from now on, on any process, leaves out what the restrictions among these hide.
   * @throws {NotWitnessed} that cannot be promised. They are in the log, and asking again is safe.
   */
  async hold(appended: readonly Appended[]): Promise<void> {
    const rows = appended.flatMap(rowOf);
    const newest = rows.at(-1)?.position;
    if (newest === undefined) return;
    await this.positions.waitFor(BigInt(newest), PATIENCE_MS);
    const most = appended.some(({ event }) => isOperators(event)) ? 2 * MOST_OUTSTANDING : MOST_OUTSTANDING;
    if (!(await this.areHeld(rows, most)))
      throw notHeld('too many restrictions are written that the read models do not have yet', undefined);
  }

  private async areHeld(rows: readonly Row[], most: number): Promise<boolean> {
    try {
      const { rows: found } = await this.pool.query<{ is_held: boolean }>(holdSql, [
        JSON.stringify(rows),
        most,
      ]);
      return found[0]?.is_held === true;
    } catch (cause) {
      if (!isUnreachable(cause)) throw cause;
      throw notHeld('the read store does not take it', cause);
    }
  }
}

/** Deletes the rows that published read models have applied. `client` has their schema in its search path. */
export async function forgetApplied(client: ClientBase): Promise<void> {
  await client.query({
    name: 'outstanding-restriction.forget',
    text: `DELETE FROM recovery.outstanding_restriction outstanding
      WHERE EXISTS (SELECT FROM restriction applied WHERE applied.event_id = outstanding.event_id)`,
  });
}

interface Row {
  readonly event_id: string;
  readonly witness_epoch: number;
  readonly position: string;
  readonly subject: string;
}

const isOperators = ({ type }: StoredEvent): boolean =>
  type === 'account.suspended' || type === 'post.restricted';

/** Empty for what hides nothing, and for what is older than the witness: read models applied that long ago. */
function rowOf({ id, event, metadata: { witnessEpoch }, position }: Appended): readonly Row[] {
  const subject = isRestriction(event) ? hiddenBy(event) : undefined;
  if (subject === undefined || witnessEpoch === undefined) return [];
  return [{ event_id: id, witness_epoch: witnessEpoch, position: String(position), subject }];
}

const notHeld = (why: string, cause: unknown): NotWitnessed =>
  new NotWitnessed(
    'ambiguous_acceptance_requires_independent_proof',
    `The restriction is written, but what it hides may still be shown: ${why}.`,
    { cause },
  );
