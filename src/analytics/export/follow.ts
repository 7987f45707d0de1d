import { LogUnavailable } from '../../log/event-log.js';
import type { UndecodedLog } from '../../log/event-log.js';
import { Failure } from '../../base/terminal/failure.js';
import { sleep } from '../../base/support/sleep.js';
import type { DataSet } from '../data-set/data-set.js';
import { exportEvents } from './export.js';
import type { Exported, ExportOptions } from './export.js';
import { Freshness } from './freshness.js';
import type { FreshnessOptions } from './freshness.js';

export interface FollowOptions
  extends Omit<ExportOptions, 'follow' | 'freshness' | 'giveUpAfterMs'>, FreshnessOptions {
  readonly onNotice: (line: string) => void;
  readonly retryMs?: number;
}

const GIVE_UP_AFTER_MS = 5_000;
const RETRY_MS = 2_000;

/**
 * Exports until the signal ends it. After an outage the log is opened anew: `npm start` gives a restarted event store
 * another port. `open`: throws {@link Failure} while nobody knows the address.
 * @throws {LogReplaced} {@link Failure}
 */
export async function followLog(
  open: () => UndecodedLog,
  dataSet: DataSet,
  { onNotice, retryMs = RETRY_MS, ...options }: FollowOptions,
): Promise<Exported> {
  let [events, before, problem] = [0, 0, ''];
  const onProgress: FollowOptions['onProgress'] = (count, position) => {
    events = before + count;
    options.onProgress?.(events, position);
  };
  while (!options.signal.aborted) {
    let log: UndecodedLog | undefined;
    try {
      log = open();
      const freshness = new Freshness(log, dataSet, options);
      const heard = noticing(log, () => {
        if (problem !== '') onNotice('the event store answers again; the export goes on');
        problem = '';
      });
      const { isComplete } = await exportEvents(heard, dataSet, {
        ...options,
        onProgress,
        freshness,
        follow: true,
        giveUpAfterMs: GIVE_UP_AFTER_MS,
      });
      return { events, isComplete };
    } catch (error) {
      const reason = await problemOf(error, log);
      if (reason === undefined) throw error;
      if (reason !== problem) onNotice(`${reason}; waiting for it`);
      problem = reason;
    } finally {
      await log?.close();
    }
    before = events;
    await sleep(retryMs, options.signal);
  }
  return { events, isComplete: false };
}

/** Undefined: waiting does not help. */
async function problemOf(error: unknown, log: UndecodedLog | undefined): Promise<string | undefined> {
  if (log === undefined) return error instanceof Failure ? error.message : undefined;
  if (!(error instanceof LogUnavailable)) return undefined;
  return `the event store does not answer: ${(await log.explain('read', error)) ?? error.message}`;
}

function noticing(log: UndecodedLog, onBatch: () => void): Pick<UndecodedLog, 'undecoded'> {
  return {
    async *undecoded(options) {
      for await (const batch of log.undecoded(options)) {
        onBatch();
        yield batch;
      }
    },
  };
}
