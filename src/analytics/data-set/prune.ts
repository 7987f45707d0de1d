import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { columnsOf } from '../columns/columns.js';
import type { DataSet } from './data-set.js';
import type { EventType } from '../../log/registry.js';
import type { Value } from '../columns/rows.js';
import { foldedColumns } from './folded-people.js';
import type { FoldableRow } from './folded-people.js';
import { Folding } from './folding.js';
import { readParquet } from './parquet.js';
import { dayOf, paths } from './paths.js';
import type { DataFile, State } from './state.js';
import { requireUnchanged } from './verify.js';

export interface PruneOptions {
  /** Unix milliseconds; the day of that time stays. */
  readonly before: number;
  readonly forget: boolean;
}

/**
 * Removes the days before a time, and leaves their events out of later exports. Their events are folded first. Returns the
 * removed files.
 * @throws {Failure} a file was changed.
 */
export async function prune(
  dataSet: DataSet,
  { before, forget }: PruneOptions,
): Promise<readonly DataFile[]> {
  const firstDay = dayOf(before);
  const { since, files } = dataSet.state;
  const removed = files.filter(({ day }) => day < firstDay);
  if (removed.length === 0 && since === null && !forget) return [];
  const begin = Math.max(since ?? 0, Date.parse(firstDay));
  const folded = forget ? 'forgotten' : await foldedWith(dataSet, removed, begin);
  if (forget) rmSync(paths.report(dataSet.dir), { force: true });
  dataSet.commit('flush', { since: begin, ...(folded && { folded }), removed });
  dataSet.sweep();
  return removed;
}

async function foldedWith(
  dataSet: DataSet,
  removed: readonly DataFile[],
  begin: number,
): Promise<State['folded']> {
  const folding = await Folding.begin(dataSet);
  if (!folding) return undefined;
  // Files may overlap, and these have an order. Attention is a sum.
  const ordered: FoldableRow[] = [];
  for (const file of removed)
    for await (const row of rowsOf(dataSet.dir, file, foldedColumns)) {
      if (ORDERED.has(row['type'])) ordered.push(row);
      else folding.fold(row);
    }
  for (const row of ordered.toSorted((a, b) => Number(a['position']) - Number(b['position'])))
    folding.fold(row);
  for (const file of dataSet.state.files.filter((each) => !removed.includes(each)))
    for await (const row of rowsOf(dataSet.dir, file, ['type', 'position', 'actor_id']))
      if (row['type'] === 'account.erased') folding.erase(row);
  return folding.write(begin).folded ?? dataSet.state.folded ?? 'nothing';
}

const ORDERED: ReadonlySet<Value> = new Set([
  'account.registered',
  'account.suspended',
  'account.reinstated',
  'account.erased',
  'grant.issued',
  'grant.revoked',
] satisfies EventType[]);

const foldable = columnsOf({ personal: 'none' });

async function* rowsOf(dir: string, file: DataFile, names: readonly string[]): AsyncGenerator<FoldableRow> {
  await requireUnchanged(dir, file);
  const columns = foldable.filter(({ name }) => names.includes(name));
  const data = await readParquet(join(dir, file.path), columns);
  for (let n = 0; n < file.rows; n++) yield Object.fromEntries(names.map((name) => [name, data[name]?.[n]]));
}
