import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.js';
import { LogUnavailable } from '../event-log.js';
import type { EventLog } from '../event-log.js';

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

/** The log has streams of other applications, which nobody has allowed. */
export class LogShared extends Error {
  override readonly name = 'LogShared';

  constructor(stream: string) {
    super(
      `The event store has streams of another application (${JSON.stringify(stream)}): give the network a server of its own, or set EVENTSTORE_SHARED=on.`,
    );
  }
}

/** Ends the process on such a log. Undefined: it is allowed. */
export function refusalOfShared(
  { eventStoreShared }: Pick<Config, 'eventStoreShared'>,
  logger: Pick<Logger, 'fatal'>,
): ((error: LogShared) => void) | undefined {
  if (eventStoreShared === 'on') return undefined;
  return (error) => {
    logger.fatal({ reason: error.message }, 'refusing to serve');
    process.exit(1);
  };
}

/** What is looked for in a log before it is used. */
export interface CheckedLog extends EventLog {
  foreignStream(): Promise<string | undefined>;
}

/**
 * Logs in one line what has to be changed before the log can be used. Waits for a log that is away, which others say;
 * resolves once the log can be used, or `signal` aborts. @throws {LogShared} unless that is allowed
 */
export async function sayIfUnusable(
  log: CheckedLog,
  { logger, isShared }: { readonly logger: Pick<Logger, 'error'>; readonly isShared: boolean },
  signal: AbortSignal,
): Promise<void> {
  let said: string | undefined;
  while (!signal.aborted) {
    try {
      await explained(log, 'read', log.reach(signal));
      await explained(log, 'append', log.checkWritable());
      const foreign = isShared ? undefined : await log.foreignStream();
      if (foreign !== undefined) throw new LogShared(foreign);
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof LogShared) throw error;
      if (error instanceof LogUnusable) {
        if (error.message !== said)
          logger.error({ reason: error.message }, 'the event store cannot be used as it is set up');
        said = error.message;
      }
    }
    await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}
