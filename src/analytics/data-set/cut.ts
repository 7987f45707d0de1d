import { existsSync, readFileSync, renameSync } from 'node:fs';
import { z } from 'zod';
import { paths } from './paths.js';
import type { State } from './state.js';
import { writeTemporary } from './write-file.js';

const cut = z.strictObject({ since: z.int(), isForgotten: z.boolean() });

export type Cut = z.infer<typeof cut>;

/** Remembers apart from the commits, all of which may be damaged, what must not come back. */
export function writeCut(dir: string, { since, folded }: Pick<State, 'since' | 'folded'>): void {
  if (since === null) return;
  const text = `${JSON.stringify({ since, isForgotten: folded === 'forgotten' })}\n`;
  const path = paths.cut(dir);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  renameSync(writeTemporary(dir, 'cut', Buffer.from(text)), path);
}

/** Undefined: nothing was left out. @throws {Error} the file is damaged. */
export function readCut(dir: string): Cut | undefined {
  const path = paths.cut(dir);
  return existsSync(path) ? cut.parse(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
}

export const isBehind = (
  { since, folded }: Pick<State, 'since' | 'folded'>,
  known: Cut | undefined,
): boolean =>
  known !== undefined && ((since ?? 0) < known.since || (known.isForgotten && folded !== 'forgotten'));
