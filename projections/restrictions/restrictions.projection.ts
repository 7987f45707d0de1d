import { restrictionTypes } from '../../src/log/restrictions.js';
import type { RestrictionEvent } from '../../src/log/restrictions.js';
import type { Recorded } from '../../src/log/recorded.js';
import type { Projection, Statement, Write } from '../runner/projection.js';
import { restrictionVerifications } from './restrictions.verification.js';

interface Restriction {
  /** Epoch of the restriction. A witness that was rolled back may assign an epoch again, to another event. */
  readonly witness_epoch: number;
  readonly event_id: string;
  readonly position: string;
}

const insertRestriction: Statement<Restriction> = {
  name: 'restriction.apply',
  table: 'restriction',
  key: ({ event_id }) => event_id,
  sql: `
    WITH added AS (
      INSERT INTO restriction (witness_epoch, event_id, position)
      SELECT witness_epoch, event_id, position
      FROM json_to_recordset($1) AS row(witness_epoch numeric, event_id uuid, position numeric)
      ON CONFLICT (event_id) DO NOTHING
      RETURNING event_id
    )
    UPDATE recovery.incarnation SET witness_epoch = incarnation.witness_epoch + (SELECT count(*) FROM added)
    WHERE schema_name = current_schema() AND EXISTS (SELECT FROM added)`,
};

/** Older logs have restrictions without an epoch: the witness never recorded them, so they prove nothing. */
function recordRestriction(
  { id, position, metadata: { witnessEpoch } }: Recorded<RestrictionEvent>,
  write: Write,
): void {
  if (witnessEpoch === undefined) return;
  write(insertRestriction, { witness_epoch: witnessEpoch, event_id: id, position: String(position) });
}

/** The witnessed restrictions that the read models show; compared with the witness after every start (recovery.md). */
export const restrictions: Projection = {
  name: 'restrictions',
  version: 3,
  tables: `
    CREATE TABLE restriction (
      event_id uuid PRIMARY KEY,
      witness_epoch numeric NOT NULL,
      position numeric NOT NULL
    )`,
  indexes: 'CREATE INDEX restriction_by_epoch ON restriction (witness_epoch)',
  verifications: restrictionVerifications,
  handlers: Object.fromEntries(restrictionTypes.map((type) => [type, recordRestriction])),
};
