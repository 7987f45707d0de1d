import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { columnsOf } from '../columns/columns.js';
import type { Value } from '../columns/rows.js';
import type { DataSet } from './data-set.js';
import { dayOf } from './paths.js';
import { readParquet } from './parquet.js';
import type { Columns } from './parquet.js';
import type { DataFile } from './state.js';
import { requireUnchanged } from './verify.js';
import { writeDataFile } from './write-file.js';

/** A file with so many rows or bytes is merged with no other, which bounds the memory of a compaction. */
const FULL_ROWS = 250_000;
const FULL_BYTES = 64 * 2 ** 20;
const MOST_SMALL_FILES = 10;

interface CompactionOptions {
  /** True: no other work is left, so each finished day is compacted; else only one with too many files. */
  readonly isIdle: boolean;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly fullBytes?: number;
}

/** Merges small files of a day, with one commit for each merge; ends between two merges when `signal` aborts. */
export async function compact(dataSet: DataSet, options: CompactionOptions): Promise<void> {
  const { isIdle, now, signal, fullBytes = FULL_BYTES } = options;
  const today = dayOf(now());
  for (const [day, files] of filesByDay(dataSet.state.files)) {
    const isFinished = day < today;
    const small = files.filter(({ rows, bytes }) => rows < FULL_ROWS && bytes < fullBytes);
    const isDue = isFinished && (isIdle || small.length > MOST_SMALL_FILES);
    const mergeable = isDue ? [small] : isFinished ? [] : ofSameSize(small);
    const groups = mergeable.flatMap((each) => groupsUpToFull(each, fullBytes));
    for (const group of groups) {
      if (signal.aborted) return;
      await merge(dataSet, day, group);
      await immediate();
    }
  }
}

const filesByDay = (files: readonly DataFile[]) => Map.groupBy(files, ({ day }) => day);

/**
 * A day that is not over gets a new file with each flush. Only files of similar size are merged, so that each row is
 * written again a few times at most.
 */
function ofSameSize(files: readonly DataFile[]): readonly DataFile[][] {
  const bySize = Map.groupBy(files, ({ rows }) => Math.floor(Math.log10(rows)));
  return [...bySize.values()].filter((group) => group.length >= MOST_SMALL_FILES);
}

function groupsUpToFull(files: readonly DataFile[], fullBytes: number): readonly DataFile[][] {
  const groups: DataFile[][] = [];
  let [rows, bytes] = [Infinity, 0];
  for (const file of files.toSorted((a, b) => a.first - b.first)) {
    if (rows + file.rows > FULL_ROWS || bytes + file.bytes > fullBytes) {
      groups.push([]);
      [rows, bytes] = [0, 0];
    }
    groups.at(-1)?.push(file);
    rows += file.rows;
    bytes += file.bytes;
  }
  return groups.filter((group) => group.length > 1);
}

async function merge(dataSet: DataSet, day: string, files: readonly DataFile[]): Promise<void> {
  const options = { ...dataSet.writeOptions(), merging: dataSet.state.number + 1 };
  const columns = columnsOf(options.contents);
  const merged: Record<string, Value[]> = Object.fromEntries(columns.map(({ name }) => [name, []]));
  let rows = 0;
  for (const file of files) {
    await requireUnchanged(dataSet.dir, file);
    const data = await readParquet(join(dataSet.dir, file.path), columns);
    rows += file.rows;
    for (const { name } of columns) append(merged[name] ?? [], data, name, rows);
  }
  const added = writeDataFile(dataSet.dir, day, merged, 'compaction', options);
  dataSet.commit('compaction', { added: [added], removed: files });
}

/** A column that a file of another release lacks is filled with nulls. */
function append(values: Value[], data: Columns, name: string, rows: number): void {
  for (const value of data[name] ?? []) values.push(value);
  while (values.length < rows) values.push(undefined);
}
