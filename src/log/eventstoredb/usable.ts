import type { Logger } from 'pino';
import type { Config } from '../../base/config/config.js';
import { sleep } from '../../base/support/sleep.js';
import { LogUnavailable } from '../event-log.js';
import type { EventLog } from '../event-log.js';

const RETRY_MS = 2_000;

export class LogUnusable extends LogUnavailable {
  override readonly name = 'LogUnusable';
}

export async function explainFailure<T>(log: EventLog, use: 'read' | 'append', done: Promise<T>): Promise<T> {
  try {
    return await done;
  } catch (error) {
    const reason = await log.explain(use, error);
    throw reason === undefined ? error : new LogUnusable(reason, { cause: error });
  }
}

export class LogShared extends Error {
  override readonly name = 'LogShared';

  constructor(stream: string) {
    super(
      `The event store has streams of another application (${JSON.stringify(stream)}): give the network a server of its own, or set EVENTSTORE_SHARED=on.`,
    );
  }
}

export function exitOnSharedLog(
  { eventStoreShared }: Pick<Config, 'eventStoreShared'>,
  logger: Pick<Logger, 'fatal'>,
): ((error: LogShared) => void) | undefined {
  if (eventStoreShared === 'on') return undefined;
  return (error) => {
    logger.fatal({ reason: error.message }, 'event store has streams of another application; exiting');
    process.exit(1);
  };
}

export interface LogToCheck extends EventLog {
  foreignStream(): Promise<string | undefined>;
}

/**
 * Checks the event store until it is usable or `signal` aborts. Logs a fault of the configuration once, until it
 * changes. An unreachable event store is only retried: other checks report it.
 * @throws {LogShared} the event store has streams of another application, and that is not allowed.
 */
export async function warnIfUnusable(
  log: LogToCheck,
  { logger, isShared }: { readonly logger: Pick<Logger, 'error'>; readonly isShared: boolean },
  signal: AbortSignal,
): Promise<void> {
  let lastReason: string | undefined;
  while (!signal.aborted) {
    try {
      await explainFailure(log, 'read', log.reach(signal));
      await explainFailure(log, 'append', log.checkWritable());
      const foreign = isShared ? undefined : await log.foreignStream();
      if (foreign !== undefined) throw new LogShared(foreign);
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof LogShared) throw error;
      if (error instanceof LogUnusable) {
        if (error.message !== lastReason)
          logger.error(
            { reason: error.message },
            'event store unusable as configured; retrying until an operator corrects it',
          );
        lastReason = error.message;
      }
    }
    await sleep(RETRY_MS, signal);
  }
}
