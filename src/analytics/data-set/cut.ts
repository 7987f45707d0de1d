import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { paths } from './paths.js';
import type { State } from './state.js';
import { putText } from './write-file.js';

const cut = z.strictObject({ since: z.int(), isForgotten: z.boolean() });

export type Cut = z.infer<typeof cut>;

/** Remembers apart from the commits, all of which may be damaged, what must not come back. */
export function writeCut(dir: string, { since, folded }: Pick<State, 'since' | 'folded'>): void {
  if (since === null) return;
  const isForgotten = folded === 'forgotten';
  putText(dir, paths.cut(dir), `${JSON.stringify({ since, isForgotten })}\n`);
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
