import type { ClientBase, Pool } from 'pg';
import type { EventLog } from '../log/event-log.js';
import { digestIn, digestSql } from './witness/digest.js';
import type { Digest, DigestRow, Range } from './witness/digest.js';
import { inLog } from './witness/settle.js';
import type { Witness, Witnessed } from './witness/witness.js';

/** Where witness and log are not of one mind. */
export type Difference =
  /** Accepted by the witness, and not in the log: what it took away would be there again. */
  | { readonly kind: 'missing'; readonly witnessed: Witnessed }
  /** In the log, with a number of the witness, which does not know it: it was set back or is another one. */
  | { readonly kind: 'unwitnessed'; readonly epoch: bigint; readonly eventId: string };

export interface Comparison {
  readonly witness: Witness;
  readonly log: EventLog;
  readonly database: Pool | ClientBase;
  /** Of the incarnation whose table `restriction` is believed. Undefined: none has such a table, so the log tells all. */
  readonly schema: string | undefined;
  /** Up to this number both are of one mind. */
  readonly after: bigint;
  /** Told of what the witness has accepted, in order, once everything up to it was compared. */
  readonly onCompared?: (witnessed: Witnessed) => void;
}

const PAGE = 1_000;
/** How many numbers are compared at once: more wherever all is as it should be, fewer to find what is not. */
const BLOCK = { least: 1_000n, most: 16_000n, factor: 4n };
/** How many streams are read at once for what the read models do not show. */
const READS = 32;

/**
 * Merges what the witness has accepted with what the read models have applied, both in order of their numbers, and looks
 * into the log itself for what is not applied (yet). It is the event's id that counts. What both have the same of, block by
 * block, is not looked at one by one. @throws {WitnessUnavailable} {@link LogUnavailable} and faults of
 * Postgres: then nothing is proven beyond what was told.
 */
export async function* differences(comparison: Comparison): AsyncGenerator<Difference> {
  const { witness, log, onCompared } = comparison;
  let size = BLOCK.least;
  for (let after = comparison.after; ;) {
    const block = { after, upTo: after + size };
    const newest = await newestOfAgreed(comparison, block);
    if (newest) {
      onCompared?.(newest);
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
    const applied = await appliedBetween(comparison, after, last);
    const unapplied = page.filter(({ restriction }) => !applied.delete(restriction.id));
    const elsewhere = await appliedOf(comparison, unapplied);
    const unseen = unapplied.filter(({ restriction }) => !elsewhere.has(restriction.id));
    for (const witnessed of await notInLog(log, unseen)) yield { kind: 'missing', witnessed };
    // What is prepared only may be on its way; whoever settles it does so by the same log.
    const known = applied.size > 0 ? await witness.find([...applied.keys()]) : new Map<string, Witnessed>();
    for (const [eventId, epoch] of applied)
      if (!known.has(eventId)) yield { kind: 'unwitnessed', epoch, eventId };
    for (const witnessed of page) onCompared?.(witnessed);
    if (last === undefined) return;
    after = last;
  }
}

/** The last that the witness has of a block of which the read models have applied the same; undefined: they have not, or none. */
async function newestOfAgreed(
  { witness, database, schema }: Comparison,
  block: Range,
): Promise<Witnessed | undefined> {
  if (schema === undefined) return undefined;
  const asked = witness.digest(block);
  // Waited for below, when nothing is under way any more on the connection that is the caller's.
  asked.catch(() => undefined);
  const applied = await appliedDigest(database, schema, block);
  const accepted = await asked;
  if (accepted.newest === undefined || accepted.digest !== applied.digest) return undefined;
  const [newest] = await witness.after(accepted.newest - 1n, 1);
  return newest;
}

async function appliedDigest(
  database: Comparison['database'],
  schema: string,
  { after, upTo }: Range,
): Promise<Digest> {
  const { rows } = await database.query<DigestRow>(
    `SELECT ${digestSql({ id: 'event_id', epoch: 'witness_epoch' })} FROM "${schema}".restriction
    WHERE witness_epoch > $1 AND witness_epoch <= $2`,
    [String(after), String(upTo)],
  );
  return digestIn(rows[0]);
}

/** Numbers of what is applied, by the event's id. */
async function appliedBetween(
  { database, schema }: Comparison,
  after: bigint,
  last: bigint | undefined,
): Promise<Map<string, bigint>> {
  if (schema === undefined) return new Map();
  const { rows } = await database.query<{ witness_epoch: string; event_id: string }>(
    `SELECT witness_epoch, event_id FROM "${schema}".restriction
    WHERE witness_epoch > $1 AND ($2::numeric IS NULL OR witness_epoch <= $2)`,
    [String(after), last === undefined ? null : String(last)],
  );
  return new Map(rows.map(({ witness_epoch, event_id }) => [event_id, BigInt(witness_epoch)]));
}

/** Ids of those that are applied under another number: a witness that was set back and told again gave it to another. */
async function appliedOf(
  { database, schema }: Comparison,
  witnessed: readonly Witnessed[],
): Promise<ReadonlySet<string>> {
  if (schema === undefined || witnessed.length === 0) return new Set();
  const { rows } = await database.query<{ event_id: string }>(
    `SELECT event_id FROM "${schema}".restriction WHERE event_id = ANY ($1)`,
    [witnessed.map(({ restriction }) => restriction.id)],
  );
  return new Set(rows.map(({ event_id }) => event_id));
}

async function notInLog(log: EventLog, witnessed: readonly Witnessed[]): Promise<readonly Witnessed[]> {
  const missing: Witnessed[] = [];
  for (let at = 0; at < witnessed.length; at += READS) {
    const some = witnessed.slice(at, at + READS);
    const found = await Promise.all(some.map(({ restriction }) => inLog(log, restriction)));
    missing.push(...some.filter((_, index) => !found[index]));
  }
  return missing;
}
