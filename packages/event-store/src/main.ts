/**
 * The event store as a process: `node main.js --dir D [--host H] [--port P] [--tls] [--no-fsync]`.
 * Prints one JSON line {"port":N} on stdout when it is ready, and logs JSON lines on stderr. SIGTERM and SIGINT close
 * it cleanly; with --stop-with-stdin, so does the end of standard input, when the parent process has ended.
 * Exit codes: 3 directory in use, 4 corrupt log, 5 log unwritable (the next start recovers it), 6 log of a newer
 * version.
 */
import { parseArgs } from 'node:util';
import {
  CorruptLogError,
  DirectoryLockedError,
  EXIT_LOG_UNWRITABLE,
  NewerLogError,
  StoreUnavailableError,
} from './errors.js';
import { startEventStore, type RunningEventStore } from './server.js';

const EXIT_LOCKED = 3;
const EXIT_CORRUPT = 4;
const EXIT_NEWER = 6;

const { values } = parseArgs({
  options: {
    dir: { type: 'string' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '0' },
    tls: { type: 'boolean', default: false },
    'no-fsync': { type: 'boolean', default: false },
    'segment-length': { type: 'string' },
    'stop-with-stdin': { type: 'boolean', default: false },
  },
});

function log(level: string, message: string, fields: Record<string, unknown>): void {
  process.stderr.write(`${JSON.stringify({ level, message, ...fields })}\n`);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof DirectoryLockedError) return EXIT_LOCKED;
  if (error instanceof CorruptLogError) return EXIT_CORRUPT;
  if (error instanceof NewerLogError) return EXIT_NEWER;
  return error instanceof StoreUnavailableError ? EXIT_LOG_UNWRITABLE : 1;
}

const MAX_SHUTDOWN_MS = 2_000;

let store: RunningEventStore | undefined;

function endBroken({ message }: Error): void {
  // A store that fails while it starts throws from `startEventStore`.
  if (!store) return;
  log('error', 'the event log cannot be written: this process ends, and the next start recovers the log', {
    error: message,
  });
  setTimeout(() => process.exit(EXIT_LOG_UNWRITABLE), MAX_SHUTDOWN_MS);
  void store.close().finally(() => process.exit(EXIT_LOG_UNWRITABLE));
}

try {
  if (values.dir === undefined) throw new Error('--dir is missing');
  const started = await startEventStore({
    dir: values.dir,
    host: values.host,
    port: Number(values.port),
    ...(values.tls && { tls: true }),
    fsync: !values['no-fsync'],
    ...(values['segment-length'] === undefined ? {} : { segmentLength: Number(values['segment-length']) }),
    log,
    now: () => new Date(),
    onBroken: endBroken,
  });
  store = started;
  const stop = (): void => {
    void started.close().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  if (values['stop-with-stdin']) process.stdin.once('end', stop).resume();
  process.stdout.write(`${JSON.stringify({ port: started.port })}\n`);
} catch (error) {
  log('error', (error as Error).message, { name: (error as Error).name });
  process.exitCode = exitCodeOf(error);
}
