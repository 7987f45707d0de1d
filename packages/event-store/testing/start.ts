import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { clientAddress } from '../src/access/client-address.js';

const ENTRY = fileURLToPath(new URL('../dist/main.js', import.meta.url));

export interface EmbeddedEventStore {
  /** Connection string for `EventStoreDBClient.connectionString`. */
  url: string;
  dir: string;
  port: number;
  pid: number;
  /** Log lines of the process so far, one JSON object on each. */
  logged(): string;
  /** Resolves with the exit code when the process has ended. */
  ended: Promise<number | null>;
  /** Sends a signal and waits for the end of the process. The directory stays. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Stops the process cleanly, and removes a directory that was made here. */
  stop(): Promise<void>;
}

export interface EmbeddedEventStoreOptions {
  /** An existing directory, which is kept. Default: a temporary one, which `stop` removes. */
  dir?: string;
  /** Default: a free port, reserved also for a later start. */
  port?: number;
  /** Further arguments of `src/main.ts`. */
  args?: readonly string[];
}

/** `exitCode`: as in `src/main.ts`. */
export class EventStoreDidNotStart extends Error {
  constructor(
    readonly exitCode: number | null,
    readonly logged: string,
  ) {
    super(`the embedded event store ended with code ${exitCode} before it was ready:\n${logged}`);
  }
}

/** Starts an embedded event store as a process of its own, from the compiled code (`npm run build`). */
export async function startEmbeddedEventStore(
  options: EmbeddedEventStoreOptions = {},
): Promise<EmbeddedEventStore> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'event-store-')));
  const args = [
    ENTRY,
    '--dir',
    dir,
    '--port',
    String(options.port ?? (await freePort())),
    '--stop-with-stdin',
    ...(options.args ?? []),
  ];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let logged = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (logged += text));
  const ended = once(child, 'close') as Promise<[number | null]>;
  const ready = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const first = await Promise.race([ready, ended]);
  if (typeof first[0] !== 'string') throw new EventStoreDidNotStart(first[0], logged);
  const { port } = JSON.parse(first[0]) as { port: number };
  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return {
    url: await clientAddress({ dir, host: '127.0.0.1', port, tls: args.includes('--tls') }),
    dir,
    port,
    pid: child.pid ?? 0,
    logged: () => logged,
    ended: ended.then(([code]) => code),
    kill,
    stop: async () => {
      await kill('SIGTERM');
      if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Runs `use` beside an embedded event store on `dir`, which is kept. `args`: as in {@link EmbeddedEventStoreOptions}. */
export async function withEventStore<T>(
  dir: string,
  args: readonly string[],
  use: (url: string, pid: number) => Promise<T>,
): Promise<T> {
  const store = await startEmbeddedEventStore({ dir, args });
  try {
    return await use(store.url, store.pid);
  } finally {
    await store.stop();
  }
}

const reserved = new Set<number>();

/** Below the ports of outgoing connections, of which one could take it while the server restarts. */
async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000);
  if (reserved.has(port)) return freePort();
  reserved.add(port);
  const probe = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!isFree) return freePort();
  await new Promise((resolve) => void probe.close(resolve));
  return port;
}
