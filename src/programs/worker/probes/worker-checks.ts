import type { Pool } from 'pg';
import type { BoundedClock } from '../../../base/support/bounded-clock.js';
import { checkClock } from '../../../server/health/clock-check.js';
import { checkDatabase } from '../../../server/health/database-check.js';
import { NotReady } from '../../../server/health/health.js';
import type { HealthCheck, HealthChecks } from '../../../server/health/health.js';
import type { LogCheck } from '../../../server/health/log-check.js';
import type { GroupActivity, GroupState } from '../../../../projections/runner/group-state.js';

export type GroupStates = Readonly<Record<string, () => GroupState>>;

export interface WorkerCheckOptions {
  readonly pool: Pool;
  readonly clock: BoundedClock;
  readonly log: () => LogCheck | undefined;
  readonly reachWitness: () => Promise<unknown>;
  readonly groups: GroupStates;
}

const notReady: { readonly [Each in GroupActivity]?: string } = {
  starting: 'This worker has not started this group yet.',
  interrupted: 'This group was interrupted and is being retried; the log of this worker has the reason.',
  outdated:
    'The published read models are of a later version than this worker: run that release, or a later one.',
};

/**
 * The checks of a worker's `/readyz`: its stores, and that this worker or another one keeps each group up to date. The
 * witness is optional, because only restrictions depend on it.
 */
export function workerChecks({ pool, clock, log, reachWitness, groups }: WorkerCheckOptions): HealthChecks {
  return {
    required: {
      eventStore: (signal) => checkLog(log(), signal),
      database: () => checkDatabase(pool, clock),
      ...Object.fromEntries(Object.entries(groups).map(([name, state]) => [name, checkOf(state)])),
    },
    informational: { witness: reachWitness, clock: () => checkClock(clock) },
  };
}

async function checkLog(log: LogCheck | undefined, signal: AbortSignal): Promise<void> {
  if (!log)
    throw new NotReady('This worker has not reached the event store, or the vault, since it started.');
  await log.check(signal);
}

const checkOf =
  (state: () => GroupState): HealthCheck =>
  async () => {
    const { activity, reason } = state();
    if (activity === 'stopped') throw new NotReady(`A projection stands still: ${reason}`);
    const message = notReady[activity];
    if (message !== undefined) throw new NotReady(message);
  };
