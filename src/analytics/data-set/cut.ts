import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { Failure } from '../../base/terminal/failure.js';
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

/** Undefined: nothing was left out. @throws {Failure} the file is damaged. */
export function readCut(dir: string): Cut | undefined {
  const path = paths.cut(dir);
  if (!existsSync(path)) return undefined;
  try {
    return cut.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new Failure(`${path} is damaged: restore it from a copy, or export into another directory`, {
      cause,
    });
  }
}

export const isBehind = (
  { since, folded }: Pick<State, 'since' | 'folded'>,
  known: Cut | undefined,
): boolean =>
  known !== undefined && ((since ?? 0) < known.since || (known.isForgotten && folded !== 'forgotten'));
