import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { paths } from './paths.js';
import { writeTemporary } from './write-file.js';

/** Unix milliseconds of the newest moment up to which the data set had every event of the log; undefined: never. */
export function readCompleteUntil(dir: string): number | undefined {
  const path = paths.completeUntil(dir);
  const at = existsSync(path) ? Date.parse(readFileSync(path, 'utf8').trim()) : NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** For a data set that begins anew. */
export const forgetCompleteUntil = (dir: string): void => rmSync(paths.completeUntil(dir), { force: true });

export function writeCompleteUntil(dir: string, at: number): void {
  const text = `${new Date(at).toISOString()}\n`;
  renameSync(writeTemporary(dir, 'complete-until', Buffer.from(text)), paths.completeUntil(dir));
}
