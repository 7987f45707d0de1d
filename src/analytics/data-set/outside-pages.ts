import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { wasChanged } from './parquet.js';
import type { ParquetBytes } from './parquet.js';
import type { DataFile, OutsidePages, PeopleFile } from './state.js';

/** The bytes of a file that no frame of a page has, and that no reader would find changed: heads, levels and the footer. */
export function outsidePages({ bytes, frames }: ParquetBytes): OutsidePages {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const hash = createHash('sha256');
  const lengths: number[] = [];
  let at = 0;
  for (const frame of frames) {
    const begin = file.indexOf(frame, at);
    if (begin < 0) throw new Error('a Parquet file lacks one of its pages');
    hash.update(file.subarray(at, begin));
    lengths.push(begin - at, frame.length);
    at = begin + frame.length;
  }
  hash.update(file.subarray(at));
  return { lengths: lengths.map((length) => length.toString(36)).join(' '), sha256: hash.digest('hex') };
}

/**
 * Resolves for files of a release that did not record it, too.
 * @throws {Failure} the file was changed outside of its pages; errors of the file system.
 */
export function requireIntact(dir: string, { path, bytes, outside }: DataFile | PeopleFile): void {
  const file = join(dir, path);
  if (!outside) return;
  if (statSync(file).size === bytes && digestOutside(file, bytes, outside) === outside.sha256) return;
  throw wasChanged(file);
}

function digestOutside(path: string, bytes: number, { lengths }: OutsidePages): string {
  const hash = createHash('sha256');
  const handle = openSync(path, 'r');
  const read = (at: number, length: number) => {
    const buffer = Buffer.alloc(Math.max(0, length));
    const got = readSync(handle, buffer, 0, buffer.length, at);
    hash.update(buffer.subarray(0, got));
  };
  try {
    const parts = lengths === '' ? [] : lengths.split(' ').map((length) => Number.parseInt(length, 36));
    let at = 0;
    for (let n = 0; n < parts.length; n += 2) {
      read(at, parts[n] ?? 0);
      at += (parts[n] ?? 0) + (parts[n + 1] ?? 0);
    }
    read(at, bytes - at);
  } finally {
    closeSync(handle);
  }
  return hash.digest('hex');
}
