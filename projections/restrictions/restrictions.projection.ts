import { restrictionTypes } from '../../src/log/restrictions.js';
import type { RestrictionEvent } from '../../src/log/restrictions.js';
import type { Recorded } from '../../src/log/recorded.js';
import type { Projection, Statement, Write } from '../runner/projection.js';
import { restrictionFolds } from './restrictions.verification.js';

interface Restriction {
  /** Number of the restriction in the witness, which gives it once; one that was set back gives it to another event again. */
  readonly witness_epoch: number;
  readonly event_id: string;
  readonly position: string;
}

/** What is counted is told with the incarnation: reads show it beside the position, from one snapshot. */
const apply: Statement<Restriction> = {
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

/** Older logs have restrictions that nobody witnessed: those have no number, and prove nothing. */
function count({ id, position, metadata: { witnessEpoch } }: Recorded<RestrictionEvent>, write: Write): void {
  if (witnessEpoch === undefined) return;
  write(apply, { witness_epoch: witnessEpoch, event_id: id, position: String(position) });
}

/** Which restrictions of the witness these read models show: what it is asked for after every start (recovery.md). */
export const restrictions: Projection = {
  name: 'restrictions',
  version: 1,
  tables: `
    CREATE TABLE restriction (
      event_id uuid PRIMARY KEY,
      witness_epoch numeric NOT NULL,
      position numeric NOT NULL
    )`,
  indexes: 'CREATE INDEX restriction_by_epoch ON restriction (witness_epoch)',
  verifications: restrictionFolds,
  handlers: Object.fromEntries(restrictionTypes.map((type) => [type, count])),
};
