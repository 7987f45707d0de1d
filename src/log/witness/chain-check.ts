import type { PoolClient } from 'pg';
import { canonicalJson } from './canonical.js';
import { evolve, hashOf, restrictionIdOf, emptyLedger } from './ledger.js';
import type { LedgerStep } from './ledger.js';
import { restrictionColumns, restrictionRowOf, witnessedIn } from './restriction-row.js';
import type { RestrictionRow } from './restriction-row.js';
import type { Restriction, WitnessedRestriction } from './witness.js';

const PAGE = 1_000;

interface LineRow {
  readonly line: string;
  readonly text: string;
  readonly hash: Buffer;
}

type LineContent = Readonly<{
  line: string;
  at: number;
  step: LedgerStep['step'];
  id: string;
  epoch: string;
  position: string;
  restriction: Restriction;
}>;

/**
 * Verifies the hash chain from its first line, the head, and that the restriction table equals the replay of all lines.
 * @returns The number of the first invalid line. For a wrong row of the restriction table: the last line about that
 * restriction; 1 if no line is. Undefined: the ledger is intact.
 */
export async function firstBrokenLine(client: PoolClient): Promise<bigint | undefined> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const restrictionsById = new Map<string, { restriction: WitnessedRestriction; line: bigint }>();
    let [line, hash] = [emptyLedger.line, emptyLedger.hash];
    for (;;) {
      const { rows } = await client.query<LineRow>(
        'SELECT line, text, hash FROM ledger WHERE line > $1 ORDER BY line LIMIT $2',
        [String(line), PAGE],
      );
      for (const row of rows) {
        line += 1n;
        if (BigInt(row.line) !== line || !hashOf(hash, row.text).equals(row.hash)) return line;
        hash = row.hash;
        const { step, at } = stepIn(row.text);
        const id = restrictionIdOf(step);
        restrictionsById.set(id, {
          restriction: evolve(restrictionsById.get(id)?.restriction, step, at),
          line,
        });
      }
      if (rows.length < PAGE) break;
    }
    const head = await client.query<{ line: string; hash: Buffer }>('SELECT line, hash FROM head');
    const [headRow] = head.rows;
    if (!headRow || BigInt(headRow.line) !== line || !headRow.hash.equals(hash)) return line + 1n;
    return await firstAlteredRow(client, restrictionsById);
  } finally {
    await client.query('ROLLBACK');
  }
}

async function firstAlteredRow(
  client: PoolClient,
  restrictionsById: Map<string, { readonly restriction: WitnessedRestriction; readonly line: bigint }>,
): Promise<bigint | undefined> {
  let last = 0n;
  for (;;) {
    const { rows } = await client.query<RestrictionRow>(
      `SELECT ${restrictionColumns} FROM restriction WHERE epoch > $1 ORDER BY epoch LIMIT $2`,
      [String(last), PAGE],
    );
    for (const row of rows) {
      const replayed = restrictionsById.get(row.id);
      if (!replayed) return 1n;
      if (
        canonicalJson(restrictionRowOf(replayed.restriction)) !==
        canonicalJson(restrictionRowOf(witnessedIn(row)))
      )
        return replayed.line;
      restrictionsById.delete(row.id);
      last = BigInt(row.epoch);
    }
    if (rows.length < PAGE) break;
  }
  const [missing] = restrictionsById.values();
  return missing?.line;
}

function stepIn(text: string): { readonly step: LedgerStep; readonly at: number } {
  const { at, step, id, epoch, position, restriction } = JSON.parse(text) as LineContent;
  switch (step) {
    case 'prepared':
      return { at, step: { step, epoch: BigInt(epoch), restriction } };
    case 'reseeded':
      return { at, step: { step, epoch: BigInt(epoch), restriction, position: BigInt(position) } };
    case 'accepted':
    case 'moved':
      return { at, step: { step, id, position: BigInt(position) } };
    case 'finalized':
    case 'withdrawn':
      return { at, step: { step, id } };
  }
}
