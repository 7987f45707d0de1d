import { isDeepStrictEqual } from 'node:util';
import type { ClientBase } from 'pg';
import { STAGED_LOG } from '../../../projections/runner/verification.js';
import type { TableVerification } from '../../../projections/runner/verification.js';
import { CheckpointStore } from '../../../projections/runner/checkpoint-store.js';
import type { Incarnation } from '../incarnation.js';
import { BuildConnection } from './build-connection.js';
import type { BuildOptions } from './build-incarnation.js';
import { inParallel, withSessions } from './parallel-sessions.js';
import { LogMeter, PhaseMeter } from './progress-meter.js';
import { stageLog } from './staged-log.js';

/** What was found to be in a table: how many rows, and a digest of them all in which their order plays no part. */
export interface VerifiedTable {
  readonly table: string;
  readonly rows: number;
  readonly digest: string;
}

/** A table that is not what the log says. */
export interface Difference {
  readonly table: string;
  /** How many rows should be there and are not, and the other way round; one that was altered is one of each. */
  readonly missing: number;
  readonly unexpected: number;
  /** One of these rows: `actor_id a1, position 70`. */
  readonly example: string;
}

export interface Verification {
  readonly tables: readonly VerifiedTable[];
  readonly differences: readonly Difference[];
}

/** Schema of the staged log of an incarnation: gone when the verification is over, or at the beginning of the next. */
const stagingSchemaOf = ({ incarnation }: Incarnation): string => `verify_${incarnation}`;

/**
 * Compares every table of an incarnation with an independent fold of the log up to the incarnation's position: by the
 * number of rows and a digest of them, and where those differ, row by row. Nobody may write to it meanwhile.
 *
 * Rejects with the signal's reason when that aborts. @throws what reading the log throws, and faults of Postgres.
 */
export async function verifyIncarnation(options: BuildOptions): Promise<Verification> {
  const { databaseUrl, incarnation, signal, onProgress = () => undefined } = options;
  const staging = stagingSchemaOf(incarnation);
  const schemas = [staging, incarnation.schemaName];
  const connection = await BuildConnection.open(databaseUrl, schemas, signal);
  try {
    const client = await connection.forFinishing();
    await client.query(`DROP SCHEMA IF EXISTS ${staging} CASCADE; CREATE SCHEMA ${staging}`);
    const upTo = (await CheckpointStore.ofIncarnation(incarnation.incarnation).read(client))?.position;
    const meter = new LogMeter(new PhaseMeter('verifying', onProgress), { from: 0n, to: upTo ?? 0n });
    const verifications = await connection.interruptibly(signal, async () => {
      await client.query(STAGED_LOG);
      if (upTo !== undefined) await stageLog(client, options, upTo, meter);
      await client.query('ANALYZE fact (n, type)');
      return keep(client, foldsOf(options));
    });
    return await withSessions(databaseUrl, schemas, (lanes) => compareAll(lanes, signal, verifications));
  } finally {
    // Without a connection it stays until the next verification, or the end of the incarnation.
    await connection.client.query(`DROP SCHEMA IF EXISTS ${staging} CASCADE`).catch(() => undefined);
    await connection.close();
  }
}

const foldsOf = ({ group }: BuildOptions): readonly TableVerification[] =>
  group.projections.flatMap(({ verifications = [] }) => verifications);

/** The folds; what others look at is made, and found where it is kept. */
async function keep(
  client: ClientBase,
  verifications: readonly TableVerification[],
): Promise<readonly TableVerification[]> {
  for (const { materializeAs, expected } of verifications)
    if (materializeAs !== undefined)
      await client.query(`CREATE UNLOGGED TABLE ${materializeAs} AS ${expected}; ANALYZE ${materializeAs}`);
  return verifications.map((fold) =>
    fold.materializeAs === undefined ? fold : { ...fold, expected: `SELECT * FROM ${fold.materializeAs}` },
  );
}

async function compareAll(
  lanes: readonly BuildConnection[],
  signal: AbortSignal,
  verifications: readonly TableVerification[],
): Promise<Verification> {
  const sides = verifications.flatMap(({ table, actual, expected }) => [
    { table, rows: actual },
    { table, rows: expected },
  ]);
  const summaries = await inParallel(lanes, signal, sides, summaryOf);
  const found = summaries.filter((_, index) => index % 2 === 0);
  const wanted = summaries.filter((_, index) => index % 2 === 1);
  const differing = verifications.filter((_, index) => !isDeepStrictEqual(found[index], wanted[index]));
  return { tables: found, differences: await inParallel(lanes, signal, differing, differenceOf) };
}

/**
 * Of the rows of a query, the sums of two 64-bit hashes of each row's text: finds faults, whoever makes up rows is not its
 * matter. Of SHA-256 most of the verification would be (docs/adr/0012). Both sides are told by one server, so its own
 * hash does.
 */
async function summaryOf(
  client: ClientBase,
  { table, rows }: { readonly table: string; readonly rows: string },
): Promise<VerifiedTable> {
  // OFFSET 0 keeps Postgres from making the text once for each hash.
  const sum = (seed: number) => `coalesce(sum(hashtextextended(line, ${seed})), 0)`;
  const { rows: found } = await client.query<{ rows: string; one: string; other: string }>(
    `SELECT count(*) AS rows, ${sum(1)} AS one, ${sum(2)} AS other
    FROM (SELECT each::text AS line FROM (${rows}) each OFFSET 0) told`,
  );
  const { rows: count = '0', one = '0', other = '0' } = found[0] ?? {};
  const hex = (total: string) => BigInt.asUintN(64, BigInt(total)).toString(16).padStart(16, '0');
  return { table, rows: Number(count), digest: hex(one) + hex(other) };
}

async function differenceOf(
  client: ClientBase,
  { table, key, expected, actual }: TableVerification,
): Promise<Difference> {
  const named = key.map((column) => `'${column} ' || ${column}`).join(` || ', ' || `);
  const { rows } = await client.query<{ missing: string; unexpected: string; example: string }>(
    `SELECT count(*) FILTER (WHERE is_missing) AS missing, count(*) FILTER (WHERE NOT is_missing) AS unexpected,
      min(${named}) AS example
    FROM (
      SELECT *, true AS is_missing FROM ((${expected}) EXCEPT ALL (${actual})) missing
      UNION ALL
      SELECT *, false FROM ((${actual}) EXCEPT ALL (${expected})) unexpected
    ) differing`,
  );
  const { missing = '0', unexpected = '0', example = '' } = rows[0] ?? {};
  return { table, missing: Number(missing), unexpected: Number(unexpected), example };
}
