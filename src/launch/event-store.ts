import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import {
  CorruptLogError,
  DirectoryLockedError,
  startEventStore,
  EXIT_LOG_UNWRITABLE,
  NewerLogError,
  StoreUnavailableError,
  UnusableFileError,
} from '@plaza/event-store';
import type { RunningEventStore } from '@plaza/event-store';
import { announceReady, announceRefusal, stopOnSignal } from './child.js';
import { listenError } from './free-port.js';
import { LaunchError } from './launch-error.js';

export type { RunningEventStore } from '@plaza/event-store';

const STOP_TIMEOUT_MS = 2_000;

export interface EventStoreProcessOptions {
  readonly dir: string;
  readonly host: string;
  readonly port: number;
  readonly tls?: boolean;
}

export async function runEventStore(
  options: EventStoreProcessOptions,
  log: Logger,
): Promise<RunningEventStore> {
  let store: RunningEventStore | undefined;
  // Registered first: the parent may end before the store serves.
  stopOnSignal(async () => store?.close());
  await refuseTakenPort(options);
  try {
    store = await startEventStore({
      ...options,
      log: (level, message, fields) => log[level](fields, message),
      now: () => new Date(),
      metrics: metricsOf(options.dir),
      onBroken: (error) => endBroken(store, error, log),
    });
  } catch (error) {
    throw await explain(error, options);
  }
  announceReady();
  return store;
}

/** Loads the metrics at the first scrape: few networks scrape the event store, and all would start slower. */
function metricsOf(dir: string): () => Promise<Registry> {
  let registry: Promise<Registry> | undefined;
  return () => (registry ??= openMetrics(dir));
}

async function openMetrics(dir: string): Promise<Registry> {
  const { eventStoreMetrics } = await import('../base/telemetry/event-store-metrics.js');
  return eventStoreMetrics(dir);
}

function endBroken(store: RunningEventStore | undefined, error: Error, log: Logger): void {
  if (!store) return;
  log.fatal(
    { err: error, exitCode: EXIT_LOG_UNWRITABLE },
    'the event log cannot be written: this process ends, and the next start recovers the log',
  );
  setTimeout(() => process.exit(EXIT_LOG_UNWRITABLE), STOP_TIMEOUT_MS);
  void store.close().finally(() => process.exit(EXIT_LOG_UNWRITABLE));
}

async function refuseTakenPort({ host, port }: EventStoreProcessOptions): Promise<void> {
  const fault = await listenError(port, host);
  if (fault !== undefined) throw await cannotListen(fault, host, port);
}

async function cannotListen(fault: string, host: string, port: number): Promise<LaunchError> {
  if (fault !== 'EADDRINUSE')
    return new LaunchError(`--host, --port: the event store cannot listen on ${host}:${port} (${fault})`);
  await announceRefusal('port');
  return new LaunchError(
    `--port: another program listens on ${host}:${port}; stop it or choose another port, 0 for any free one`,
  );
}

/**
 * Turns a known error into one line for the operator, and tells the parent if a restart would not help. An unknown
 * error keeps its stack.
 */
async function explain(error: unknown, { host, port }: EventStoreProcessOptions): Promise<unknown> {
  if (
    error instanceof DirectoryLockedError ||
    error instanceof CorruptLogError ||
    error instanceof NewerLogError
  ) {
    await announceRefusal('data');
    return new LaunchError(error.message);
  }
  if (error instanceof StoreUnavailableError || error instanceof UnusableFileError)
    return new LaunchError(error.message);
  if (!(error instanceof Error)) return error;
  const [, fault] = /\blisten (E[A-Z]+)\b/.exec(error.message) ?? [];
  if (fault !== undefined) return cannotListen(fault, host, port);
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === undefined || path === undefined) return error;
  return new LaunchError(`--dir: the event store cannot read or write ${path} (${code})`);
}
