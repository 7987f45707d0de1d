import type { PoolClient } from 'pg';
import { canonical } from './canonical.js';
import { evolve, hashOf, idOf, noLines } from './ledger.js';
import type { Step } from './ledger.js';
import { columns, rowOf, witnessedIn } from './restriction-row.js';
import type { RestrictionRow } from './restriction-row.js';
import type { Restriction, Witnessed } from './witness.js';

/** Lines that are read at a time. */
const PAGE = 1_000;

interface LineRow {
  readonly line: string;
  readonly text: string;
  readonly hash: Buffer;
}

/** What a line's text says, as JSON reads it. */
type Said = Readonly<{
  line: string;
  at: number;
  step: Step['step'];
  id: string;
  epoch: string;
  position: string;
  restriction: Restriction;
}>;

/**
 * Goes through the ledger from its first line: each has the hash that follows from the one before, none is missing, the
 * end is where the head says, and the table of restrictions is what all lines come to. Undefined: so it is. Else the
 * number of the first line that is not as it was written, or the last that says something of a restriction whose row was
 * altered.
 */
export async function firstBrokenLine(client: PoolClient): Promise<bigint | undefined> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const known = new Map<string, { restriction: Witnessed; line: bigint }>();
    let [line, hash] = [noLines.line, noLines.hash];
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
        const id = idOf(step);
        known.set(id, { restriction: evolve(known.get(id)?.restriction, step, at), line });
      }
      if (rows.length < PAGE) break;
    }
    const head = await client.query<{ line: string; hash: Buffer }>('SELECT line, hash FROM head');
    const [end] = head.rows;
    if (!end || BigInt(end.line) !== line || !end.hash.equals(hash)) return line + 1n;
    return await firstAltered(client, known);
  } finally {
    await client.query('ROLLBACK');
  }
}

async function firstAltered(
  client: PoolClient,
  known: Map<string, { readonly restriction: Witnessed; readonly line: bigint }>,
): Promise<bigint | undefined> {
  let last = 0n;
  for (;;) {
    const { rows } = await client.query<RestrictionRow>(
      `SELECT ${columns} FROM restriction WHERE epoch > $1 ORDER BY epoch LIMIT $2`,
      [String(last), PAGE],
    );
    for (const row of rows) {
      const said = known.get(row.id);
      if (!said) return 1n;
      if (canonical(rowOf(said.restriction)) !== canonical(rowOf(witnessedIn(row)))) return said.line;
      known.delete(row.id);
      last = BigInt(row.epoch);
    }
    if (rows.length < PAGE) break;
  }
  const [missing] = known.values();
  return missing?.line;
}

function stepIn(text: string): { readonly step: Step; readonly at: number } {
  const { at, step, id, epoch, position, restriction } = JSON.parse(text) as Said;
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
