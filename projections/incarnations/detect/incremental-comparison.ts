import type { ClientBase, Pool } from 'pg';
import type { EventLog } from '../../../src/log/event-log.js';
import { findUnknownToWitness } from './read-ledgers.js';
import { confirmMissing } from './confirmed-missing.js';
import { MAX_REPORTED_DIFFERENCES } from './difference.js';
import type { LedgerDifference } from './difference.js';
import { knownRestrictionsSql } from '../recovery-state.js';
import { digestIn, digestSql } from '../../../src/log/witness/digest.js';
import type { Digest, RestrictionsDigestRow, EpochRange } from '../../../src/log/witness/digest.js';
import type { Witness, WitnessedRestriction } from '../../../src/log/witness/witness.js';

export interface IncrementalComparison {
  readonly witness: Witness;
  readonly log: EventLog;
  readonly database: Pool | ClientBase;
  readonly schema: string | undefined;
  readonly signal?: AbortSignal;
}

const PAGE = 1_000;
const APPLIED_PAGE = 20_000;
const GREATEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** Epochs in one digest: the block grows while witness and read models agree, and shrinks to find a difference. */
const BLOCK = { least: 1_000n, most: 16_000n, factor: 4n };

interface AppliedRow {
  readonly witness_epoch: string;
  readonly event_id: string;
}

/**
 * Compares the restrictions that the witness has accepted with those that the read models have applied, and asks the
 * log only for the ones not applied. Blocks with equal digests are not compared one by one.
 *
 * An empty result proves that each restriction is in the read models or in the log. It proves nothing about the log if
 * all are applied: the log may then be down. The comparison ends with the page that has the hundredth difference.
 * @throws {WitnessUnavailable} {@link LogUnavailable}; faults of Postgres: nothing is proven.
 */
export async function compareAppliedRestrictions(
  comparison: IncrementalComparison,
): Promise<readonly LedgerDifference[]> {
  const { witness, log, database, schema, signal } = comparison;
  const differences: LedgerDifference[] = [];
  let size = BLOCK.least;
  for (let after = 0n; differences.length < MAX_REPORTED_DIFFERENCES;) {
    const block = { after, upTo: after + size };
    if (await isAgreed(comparison, block)) {
      after = block.upTo;
      if (size < BLOCK.most) size *= BLOCK.factor;
      continue;
    }
    if (size > BLOCK.least) {
      size /= BLOCK.factor;
      continue;
    }
    const page = await witness.after(after, PAGE);
    const last = page.length === PAGE ? page.at(-1)?.epoch : undefined;
    const applied = await appliedBetween(database, schema, after, last);
    const unapplied = page.filter(({ restriction }) => !applied.delete(restriction.id));
    const appliedElsewhere = await appliedOf(comparison, unapplied);
    const unappliedAnywhere = unapplied.filter(({ restriction }) => !appliedElsewhere.has(restriction.id));
    for (const { epoch } of await confirmMissing(log, unappliedAnywhere, signal))
      differences.push({ kind: 'missing', epoch });
    differences.push(...(await findUnwitnessed(witness, applied)));
    if (last === undefined) break;
    after = last;
  }
  return differences;
}

export async function findUnwitnessed(
  witness: Witness,
  epochs: ReadonlyMap<string, bigint>,
): Promise<readonly LedgerDifference[]> {
  const unknown = await findUnknownToWitness(witness, [...epochs.keys()]);
  return unknown.map((id) => ({ kind: 'unwitnessed', epoch: epochs.get(id) ?? 0n }));
}

/**
 * Yields the restrictions that the read models have above the epoch `after`, as epochs by event id, in pages. One query
 * of millions would take longer than an API process on a busy machine waits.
 */
export async function* appliedAfter(
  database: IncrementalComparison['database'],
  schema: string | undefined,
  after: bigint,
): AsyncGenerator<ReadonlyMap<string, bigint>> {
  if (schema === undefined) return;
  let last: AppliedRow = { witness_epoch: String(after), event_id: GREATEST_ID };
  for (;;) {
    const { rows } = await database.query<AppliedRow>(
      `SELECT witness_epoch, event_id FROM ${knownRestrictionsSql(schema)}
      WHERE (witness_epoch, event_id) > ($1, $2) ORDER BY witness_epoch, event_id LIMIT ${APPLIED_PAGE}`,
      [last.witness_epoch, last.event_id],
    );
    if (rows.length > 0) yield numbersIn(rows);
    if (rows.length < APPLIED_PAGE) return;
    last = rows.at(-1) ?? last;
  }
}

async function appliedBetween(
  database: IncrementalComparison['database'],
  schema: string | undefined,
  after: bigint,
  last: bigint | undefined,
): Promise<Map<string, bigint>> {
  if (schema === undefined) return new Map();
  const { rows } = await database.query<AppliedRow>(
    `SELECT witness_epoch, event_id FROM ${knownRestrictionsSql(schema)}
    WHERE witness_epoch > $1 AND ($2::numeric IS NULL OR witness_epoch <= $2)`,
    [String(after), last === undefined ? null : String(last)],
  );
  return numbersIn(rows);
}

const numbersIn = (rows: readonly AppliedRow[]): Map<string, bigint> =>
  new Map(rows.map(({ witness_epoch, event_id }) => [event_id, BigInt(witness_epoch)]));

async function isAgreed(
  { witness, database, schema }: IncrementalComparison,
  block: EpochRange,
): Promise<boolean> {
  if (schema === undefined) return false;
  const pendingDigest = witness.digest(block);
  // Awaited below, once the caller's connection is idle. A rejection before that must not count as unhandled.
  pendingDigest.catch(() => undefined);
  const applied = await appliedDigest(database, schema, block);
  const accepted = await pendingDigest;
  return accepted.newest !== undefined && accepted.digest === applied.digest;
}

async function appliedDigest(
  database: IncrementalComparison['database'],
  schema: string,
  { after, upTo }: EpochRange,
): Promise<Digest> {
  const { rows } = await database.query<RestrictionsDigestRow>(
    `SELECT ${digestSql({ id: 'event_id', epoch: 'witness_epoch' })} FROM ${knownRestrictionsSql(schema)}
    WHERE witness_epoch > $1 AND witness_epoch <= $2`,
    [String(after), String(upTo)],
  );
  return digestIn(rows[0]);
}

/**
 * Returns those that the read models have under any epoch: a rolled-back witness that was reseeded may have assigned
 * another one.
 */
async function appliedOf(
  { database, schema }: IncrementalComparison,
  witnessed: readonly WitnessedRestriction[],
): Promise<ReadonlySet<string>> {
  if (schema === undefined || witnessed.length === 0) return new Set();
  const { rows } = await database.query<{ event_id: string }>(
    `SELECT event_id FROM ${knownRestrictionsSql(schema)} WHERE event_id = ANY ($1)`,
    [witnessed.map(({ restriction }) => restriction.id)],
  );
  return new Set(rows.map(({ event_id }) => event_id));
}
