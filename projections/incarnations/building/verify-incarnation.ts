import { isDeepStrictEqual } from 'node:util';
import type { ClientBase } from 'pg';
import { STAGED_LOG } from '../../runner/verification.js';
import type { TableVerification } from '../../runner/verification.js';
import { CheckpointStore } from '../../runner/checkpoint-store.js';
import type { Incarnation } from '../incarnation.js';
import { BuildConnection } from './build-connection.js';
import type { BuildOptions } from './build-incarnation.js';
import { inParallel, withSessions } from './parallel-sessions.js';
import { LogProgressMeter, PhaseMeter } from './progress-meter.js';
import { stageLog } from './staged-log.js';

export interface VerifiedTable {
  readonly table: string;
  readonly rows: number;
  readonly digest: string;
}

export interface TableDifference {
  readonly table: string;
  readonly missing: number;
  readonly unexpected: number;
  readonly example: string;
}

export interface VerificationResult {
  readonly tables: readonly VerifiedTable[];
  readonly differences: readonly TableDifference[];
}

const stagingSchemaOf = ({ incarnation }: Incarnation): string => `verify_${incarnation}`;

/**
 * Verifies an incarnation: compares every table with an independent computation from the log, by row count
 * and digest. Differing tables are compared row by row. No other session may write to the incarnation
 * meanwhile.
 * @throws faults of the log and of Postgres; the reason of `signal`.
 */
export async function verifyIncarnation(options: BuildOptions): Promise<VerificationResult> {
  const { databaseUrl, incarnation, signal, onProgress = () => undefined } = options;
  const staging = stagingSchemaOf(incarnation);
  const schemas = [staging, incarnation.schemaName];
  const connection = await BuildConnection.open(databaseUrl, schemas, signal, false);
  try {
    const client = await connection.forFinishing();
    await client.query(`DROP SCHEMA IF EXISTS ${staging} CASCADE; CREATE SCHEMA ${staging}`);
    const upTo = (await CheckpointStore.ofIncarnation(incarnation.incarnation).read(client))?.position;
    const meter = new LogProgressMeter(new PhaseMeter('verifying', onProgress), { from: 0n, to: upTo ?? 0n });
    const verifications = await connection.interruptibly(signal, async () => {
      await client.query(STAGED_LOG);
      if (upTo !== undefined) await stageLog(client, options, upTo, meter);
      await client.query('ANALYZE fact (n, type)');
      return materialize(client, verificationsOf(options));
    });
    return await withSessions(databaseUrl, schemas, (sessions) =>
      compareAll(sessions, signal, verifications),
    );
  } finally {
    await connection.client.query(`DROP SCHEMA IF EXISTS ${staging} CASCADE`).catch(() => undefined);
    await connection.close();
  }
}

const verificationsOf = ({ group }: BuildOptions): readonly TableVerification[] =>
  group.projections.flatMap(({ verifications = [] }) => verifications);

async function materialize(
  client: ClientBase,
  verifications: readonly TableVerification[],
): Promise<readonly TableVerification[]> {
  for (const { materializeAs, expected } of verifications)
    if (materializeAs !== undefined)
      await client.query(`CREATE UNLOGGED TABLE ${materializeAs} AS ${expected}; ANALYZE ${materializeAs}`);
  return verifications.map((verification) =>
    verification.materializeAs === undefined
      ? verification
      : { ...verification, expected: `SELECT * FROM ${verification.materializeAs}` },
  );
}

async function compareAll(
  sessions: readonly BuildConnection[],
  signal: AbortSignal,
  verifications: readonly TableVerification[],
): Promise<VerificationResult> {
  const sides = verifications.flatMap(({ table, actual, expected }) => [
    { table, rows: actual },
    { table, rows: expected },
  ]);
  const summaries = await inParallel(sessions, signal, sides, summarize);
  const actualSummaries = summaries.filter((_, index) => index % 2 === 0);
  const expectedSummaries = summaries.filter((_, index) => index % 2 === 1);
  const differing = verifications.filter(
    (_, index) => !isDeepStrictEqual(actualSummaries[index], expectedSummaries[index]),
  );
  return { tables: actualSummaries, differences: await inParallel(sessions, signal, differing, compareRows) };
}

/**
 * Counts the rows and sums two 64-bit hashes over their text. This digest detects faults, not forgery; SHA-256 would
 * dominate the verification time (docs/adr/0012). One server computes both sides, so its own hash suffices.
 */
async function summarize(
  client: ClientBase,
  { table, rows }: { readonly table: string; readonly rows: string },
): Promise<VerifiedTable> {
  // OFFSET 0 makes Postgres compute the text once for both hashes.
  const sum = (seed: number) => `coalesce(sum(hashtextextended(line, ${seed})), 0)`;
  const { rows: sums } = await client.query<{ rows: string; one: string; other: string }>(
    `SELECT count(*) AS rows, ${sum(1)} AS one, ${sum(2)} AS other
    FROM (SELECT each::text AS line FROM (${rows}) each OFFSET 0) told`,
  );
  const { rows: count = '0', one = '0', other = '0' } = sums[0] ?? {};
  const hex = (total: string) => BigInt.asUintN(64, BigInt(total)).toString(16).padStart(16, '0');
  return { table, rows: Number(count), digest: hex(one) + hex(other) };
}

async function compareRows(
  client: ClientBase,
  { table, key, expected, actual }: TableVerification,
): Promise<TableDifference> {
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
