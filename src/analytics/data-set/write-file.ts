import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncDirectory } from '../../launch/files.js';
import { columnsOf } from '../columns/columns.js';
import type { Contents } from '../columns/columns.js';
import { outsidePages } from './outside-pages.js';
import { filePath, paths } from './paths.js';
import { parquetOf } from './parquet.js';
import type { Columns, Compression, ParquetBytes } from './parquet.js';
import type { DataFile } from './state.js';
import type { OnStep, Phase, Step } from './steps.js';

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
  const path = filePath(day, Number(positions[first]), Number(positions[last]), merging);
  const tell = (step: Step) => onStep(phase, step);
  return {
    path,
    day,
    rows: order.length,
    first: Number(positions[first]),
    last: Number(positions[last]),
    lastEventId: String(data['event_id']?.[last]),
    ...placeParquet(dir, path, parquet, tell),
  };
}

/** Writes a file that no commit names yet, and returns what the commit will know it by. */
export function placeParquet(
  dir: string,
  path: string,
  parquet: ParquetBytes,
  tell: (step: Step) => void,
): Pick<DataFile, 'bytes' | 'sha256' | 'outside'> {
  const { bytes } = parquet;
  const target = join(dir, path);
  const temporary = writeTemporary(dir, path.replaceAll('/', '-'), bytes, tell);
  tell('file synced');
  if (mkdirSync(dirname(target), { recursive: true, mode: OWNER_ONLY.directory }) !== undefined)
    syncDirectory(dirname(dirname(target)));
  renameSync(temporary, target);
  tell('file renamed');
  syncDirectory(dirname(target));
  return {
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    outside: outsidePages(parquet),
  };
}

/** Writes a file that is read beside the events, unless it has this text. */
export function putText(dir: string, path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  renameSync(writeTemporary(dir, basename(path), Buffer.from(text)), path);
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
