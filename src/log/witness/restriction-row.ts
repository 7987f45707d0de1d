import type { Restriction, RestrictionState, WitnessedRestriction } from './witness.js';

export interface RestrictionRow {
  readonly epoch: string;
  readonly id: string;
  readonly state: RestrictionState;
  readonly hash: Buffer;
  readonly position: string | null;
  readonly prepared_at: string;
  readonly content: Omit<Restriction, 'id'>;
}

export const restrictionColumns = 'epoch, id, state, hash, position, prepared_at, content';

export function witnessedIn(row: RestrictionRow): WitnessedRestriction {
  return {
    epoch: BigInt(row.epoch),
    state: row.state,
    hash: row.hash,
    position: row.position === null ? undefined : BigInt(row.position),
    preparedAt: Number(row.prepared_at),
    restriction: { id: row.id, ...row.content },
  };
}

/** Returns the row as JSON for `json_to_recordset`: bytes in hexadecimal. */
export function restrictionRowOf({
  epoch,
  state,
  hash,
  position,
  preparedAt,
  restriction,
}: WitnessedRestriction) {
  const { id, ...content } = restriction;
  return {
    epoch: String(epoch),
    id,
    state,
    hash: hash.toString('hex'),
    position: position === undefined ? null : String(position),
    prepared_at: preparedAt,
    content,
  };
}
