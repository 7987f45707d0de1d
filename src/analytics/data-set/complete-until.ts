import { existsSync, readFileSync } from 'node:fs';
import { paths } from './paths.js';
import type { State } from './state.js';
import { putText } from './write-file.js';

/**
 * Unix milliseconds of the newest moment up to which the data set had every event of the log. Undefined: never, or nobody
 * knows of this state, which ends before the position at which it had.
 */
export function readCompleteUntil(dir: string, state: Pick<State, 'checkpoint'>): number | undefined {
  const path = paths.completeUntil(dir);
  if (!existsSync(path)) return undefined;
  const [time = '', position] = readFileSync(path, 'utf8').trim().split(' ');
  const at = Date.parse(time);
  const isKnown = position !== undefined && endOf(state) >= Number(position);
  return isKnown && !Number.isNaN(at) ? at : undefined;
}

export function writeCompleteUntil(dir: string, state: Pick<State, 'checkpoint'>, at: number): void {
  putText(dir, paths.completeUntil(dir), `${new Date(at).toISOString()} ${endOf(state)}\n`);
}

const endOf = ({ checkpoint }: Pick<State, 'checkpoint'>): number => checkpoint?.position ?? -1;
