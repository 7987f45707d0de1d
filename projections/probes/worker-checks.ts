import type { Pool } from 'pg';
import { NotReady } from '../../src/http/health/health.js';
import type { Check, Checks } from '../../src/http/health/health.js';
import type { LogCheck } from '../../src/http/health/log-check.js';
import type { Activity, GroupState } from '../runner/group-state.js';

/** What a worker keeps up to date, and how each group fares; by its name. */
export type GroupStates = Readonly<Record<string, () => GroupState>>;

export interface Checked {
  readonly pool: Pool;
  /** Undefined: it was not reached since the worker started. */
  readonly log: () => LogCheck | undefined;
  readonly reachWitness: () => Promise<unknown>;
  readonly groups: GroupStates;
}

const notReady: { readonly [Each in Activity]?: string } = {
  starting: 'This worker has not begun with it yet.',
  interrupted: 'It was interrupted and is tried again; the log of this worker says why.',
  outdated: 'What is published is of a later version than this worker: run that release, or a later one.',
};

/**
 * What `/readyz` of a worker looks at: its stores, and that each group is kept up to date by it, or would be, were it not
 * for another worker. Without the witness only what restricts stands still.
 */
export function workerChecks({ pool, log, reachWitness, groups }: Checked): Checks {
  return {
    needed: {
      eventStore: (signal) => lookAt(log(), signal),
      database: () => pool.query('SELECT 1'),
      ...Object.fromEntries(Object.entries(groups).map(([name, state]) => [name, checkOf(state)])),
    },
    shown: { witness: reachWitness },
  };
}

async function lookAt(log: LogCheck | undefined, signal: AbortSignal): Promise<void> {
  if (!log) throw new NotReady('This worker has not reached it, or the vault, since it started.');
  await log.look(signal);
}

const checkOf =
  (state: () => GroupState): Check =>
  async () => {
    const { activity, reason } = state();
    if (activity === 'stopped') throw new NotReady(`A projection stands still: ${reason}`);
    const sentence = notReady[activity];
    if (sentence !== undefined) throw new NotReady(sentence);
  };
