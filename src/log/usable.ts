import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { LogUnavailable } from './event-log.js';
import type { EventLog } from './event-log.js';

const RETRY_MS = 2_000;

/** Somebody has to change something before the log can be used. `message`: what and where, for strangers to read, too. */
export class LogUnusable extends LogUnavailable {
  override readonly name = 'LogUnusable';
}

/** A use of the log. @throws {LogUnusable} in place of the use's error, where that is known. */
export async function explained<T>(log: EventLog, use: 'read' | 'append', done: Promise<T>): Promise<T> {
  try {
    return await done;
  } catch (error) {
    const reason = await log.explain(use, error);
    throw reason === undefined ? error : new LogUnusable(reason, { cause: error });
  }
}

/**
 * Logs in one line what has to be changed before the log can be used. Waits for a log that is away, which others say;
 * resolves once the log has answered, or `signal` aborts.
 */
export async function sayIfUnusable(
  log: EventLog,
  logger: Pick<Logger, 'error'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await explained(log, 'read', log.reach(signal));
      await explained(log, 'append', log.checkWritable());
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof LogUnusable) {
        logger.error({ reason: error.message }, 'the event store cannot be used as it is set up');
        return;
      }
    }
    await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}
