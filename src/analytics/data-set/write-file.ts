import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../launch/files.js';
import { columnsOf } from '../columns/columns.js';
import type { Contents } from '../columns/columns.js';
import { outsidePages } from './outside-pages.js';
import { filePath, paths } from './paths.js';
import { parquetOf } from './parquet.js';
import type { Columns, Compression } from './parquet.js';
import type { DataFile } from './state.js';
import type { OnStep, Phase } from './steps.js';

/** For the owner alone: pseudonyms can be matched with what else is known of the network. */
export const OWNER_ONLY = { file: 0o600, directory: 0o700 };

export interface WriteOptions {
  readonly contents: Contents;
  readonly compression: Compression;
  readonly onStep: OnStep;
  readonly merging?: number;
}

/** Sorts rows by type and position, and writes them as a file that no commit names yet. */
export function writeDataFile(
  dir: string,
  day: string,
  data: Columns,
  phase: Phase,
  { contents, compression, onStep, merging }: WriteOptions,
): DataFile {
  const columns = columnsOf(contents);
  const order = orderOf(data);
  const positions = (data['position'] ?? []) as readonly bigint[];
  const [first, last] = extremes(positions);
  const sorted = Object.fromEntries(
    columns.map(({ name }) => [name, order.map((index) => data[name]?.[index])]),
  );
  const parquet = parquetOf(columns, sorted, compression);
  const { bytes } = parquet;
  const path = filePath(day, Number(positions[first]), Number(positions[last]), merging);
  const target = join(dir, path);
  const temporary = writeTemporary(dir, `${day}-${Number(positions[first])}`, bytes, (step) =>
    onStep(phase, step),
  );
  onStep(phase, 'file synced');
  if (mkdirSync(dirname(target), { recursive: true, mode: OWNER_ONLY.directory }) !== undefined)
    syncDirectory(paths.events(dir));
  renameSync(temporary, target);
  onStep(phase, 'file renamed');
  syncDirectory(dirname(target));
  return {
    path,
    day,
    rows: order.length,
    first: Number(positions[first]),
    last: Number(positions[last]),
    lastEventId: String(data['event_id']?.[last]),
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    outside: outsidePages(parquet),
  };
}

/** Writes and syncs a file whose name no reader of Parquet matches. Returns its path. */
export function writeTemporary(
  dir: string,
  name: string,
  bytes: Uint8Array,
  onStep: (step: 'half of a file written' | 'file written') => void = () => undefined,
): string {
  const path = join(paths.temporary(dir), `${name}.tmp`);
  const handle = openSync(path, 'w', OWNER_ONLY.file);
  try {
    const half = Math.floor(bytes.length / 2);
    writeAll(handle, bytes.subarray(0, half));
    onStep('half of a file written');
    writeAll(handle, bytes.subarray(half));
    onStep('file written');
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return path;
}

function writeAll(handle: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at);
}

function orderOf(data: Columns): readonly number[] {
  const types = (data['type'] ?? []) as readonly string[];
  const positions = (data['position'] ?? []) as readonly bigint[];
  return Array.from(types, (_, index) => index).sort((a, b) => {
    const [one = '', other = ''] = [types[a], types[b]];
    if (one !== other) return one < other ? -1 : 1;
    return Number((positions[a] ?? 0n) - (positions[b] ?? 0n));
  });
}

/** Indexes of the least and the greatest. */
function extremes(positions: readonly bigint[]): readonly [number, number] {
  let [first, last] = [0, 0];
  positions.forEach((position, index) => {
    if (position < (positions[first] ?? 0n)) first = index;
    if (position > (positions[last] ?? 0n)) last = index;
  });
  return [first, last];
}
