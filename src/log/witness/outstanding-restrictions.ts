import type { ClientBase, Pool } from 'pg';
import type { PositionListener } from '../../base/store/position-listener.js';
import { NotWitnessed } from '../event-log.js';
import type { Recorded } from '../recorded.js';
import type { StoredEvent } from '../registry.js';
import { hiddenBy, isRestriction } from '../restrictions.js';
import { isUnreachable } from '../../base/store/unreachable.js';

/**
 * Time that the read models get to apply a restriction before a row hides its subject. They usually need some
 * milliseconds.
 */
const GRACE_MS = 250;
/**
 * Maximum of outstanding restrictions, since every read scans them all. Beyond it, as in a long outage of the worker,
 * no restriction is acknowledged. Operators' ones have twice the limit, so that users' deletions cannot exhaust theirs.
 */
export const MAX_OUTSTANDING_RESTRICTIONS = 1_000;

/**
 * Holds the restrictions of $1 (JSON) that are not applied yet, if fewer than $2 are held. Only a serving incarnation
 * counts as having applied one: in a quarantine, its position may belong to a lost log.
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

/** Acknowledged restrictions that the published read models lack: a row each (docs/adr/0016). */
export class OutstandingRestrictions {
  constructor(
    private readonly pool: Pool,
    private readonly positions: Pick<PositionListener, 'waitFor'>,
  ) {}

  /**
   * Resolves once every later read, on any process, honors the restrictions among these events.
   * @throws {NotWitnessed} some reads may not honor them. They are in the log, and a retry is safe.
   */
  async hold(appended: readonly Appended[]): Promise<void> {
    const rows = appended.flatMap(rowOf);
    const newest = rows.at(-1)?.position;
    if (newest === undefined) return;
    await this.positions.waitFor(BigInt(newest), GRACE_MS);
    const maxRows = appended.some(({ event }) => isOperators(event))
      ? 2 * MAX_OUTSTANDING_RESTRICTIONS
      : MAX_OUTSTANDING_RESTRICTIONS;
    if (!(await this.insertRows(rows, maxRows)))
      throw notEnforced('too many restrictions wait for the read models', undefined);
  }

  private async insertRows(rows: readonly Row[], maxRows: number): Promise<boolean> {
    try {
      const { rows: found } = await this.pool.query<{ is_held: boolean }>(holdSql, [
        JSON.stringify(rows),
        maxRows,
      ]);
      return found[0]?.is_held === true;
    } catch (cause) {
      if (!isUnreachable(cause)) throw cause;
      throw notEnforced('the read store is unavailable', cause);
    }
  }
}

export async function deleteAppliedRestrictions(client: ClientBase): Promise<void> {
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

/**
 * Empty if the event hides no rows, or was appended before the network had a witness: the read models applied such
 * events long ago.
 */
function rowOf({ id, event, metadata: { witnessEpoch }, position }: Appended): readonly Row[] {
  const subject = isRestriction(event) ? hiddenBy(event) : undefined;
  if (subject === undefined || witnessEpoch === undefined) return [];
  return [{ event_id: id, witness_epoch: witnessEpoch, position: String(position), subject }];
}

const notEnforced = (reason: string, cause: unknown): NotWitnessed =>
  new NotWitnessed(
    'ambiguous_acceptance_requires_independent_proof',
    `The restriction is written, but reads may not honor it yet: ${reason}. Repeat the request.`,
    { cause },
  );
