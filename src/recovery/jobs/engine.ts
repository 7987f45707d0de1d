import type { Group } from '../../../projections/runner/projection.js';
import type { EventLog } from '../../log/event-log.js';
import type { OnProgress } from '../build/progress.js';
import { analyzeIncarnation } from '../incarnation.js';
import type { Incarnation } from '../incarnation.js';
import { follow } from './follow.js';

export interface EngineOptions {
  readonly group: Group;
  readonly log: EventLog;
  readonly databaseUrl: string;
  readonly incarnation: Incarnation;
  readonly signal: AbortSignal;
  readonly onProgress?: OnProgress;
}

/** Brings an incarnation to the end of the log, however far it came. */
export async function buildIncarnation(options: EngineOptions): Promise<void> {
  const head = Number((await options.log.head()) ?? 0n);
  const begun = performance.now();
  await follow({
    ...options,
    onApplied: (position) => {
      const done = Number(position);
      const rate = done / ((performance.now() - begun) / 1_000);
      options.onProgress?.({
        phase: 'loading',
        done,
        total: head,
        rate,
        secondsLeft: Math.max(0, head - done) / rate,
      });
    },
    atTheEnd: async (client) => {
      await analyzeIncarnation(client, options.incarnation);
      return true;
    },
  });
}

export interface Verified {
  readonly differences: readonly { readonly table: string; readonly key: string }[];
}

export function verifyIncarnation(_options: EngineOptions): Promise<Verified> {
  return Promise.resolve({ differences: [] });
}
