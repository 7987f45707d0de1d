/** What every process that the launcher starts does: it says when it serves, and it goes when it is told to or orphaned. */

/** Ctrl-C reaches a process twice, from the terminal and forwarded by npm: what comes this soon after is the same wish. */
const SAME_WISH_MS = 1_000;
const LONGEST_STOP_MS = 10_000;

/** Tells the launcher that this process serves. Does nothing when the process was started by hand. */
export function announceReady(): void {
  process.send?.({ type: 'ready' });
}

/**
 * What a process that cannot serve tells the launcher, which reads no log lines: on another `port` it could; with this
 * `data` no start will ever do.
 */
export type Refusal = 'port' | 'data';

/** Resolves when it is said: the process may end then. Does nothing when the process was started by hand. */
export async function announceRefusal(why: Refusal): Promise<void> {
  if (!process.connected) return;
  await new Promise<void>((resolve) => {
    process.send?.({ type: 'refusal', why }, () => resolve());
  });
}

/**
 * Calls `begin` once, on SIGTERM, SIGINT, SIGHUP or when the parent's IPC channel closes; calls `insist` when a person asks again.
 */
export function onStopSignal(begin: (why: string) => void, insist: () => void): void {
  let asked: number | undefined;
  const ask = (why: string): void => {
    if (asked === undefined) {
      asked = performance.now();
      begin(why);
    } else if (performance.now() - asked > SAME_WISH_MS) insist();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, ask);
  if (!process.connected) return;
  process.once('disconnect', () => ask('the parent process is gone'));
  // The listener alone would keep a process up that has nothing left to do.
  process.channel?.unref();
}

/**
 * Stops this process in order: on a stop signal, or when its parent is gone, `stop` runs once and the process exits.
 * It exits with 1 when `stop` fails, takes too long, or is asked a second time.
 */
export function onStop(stop: () => Promise<void>): void {
  onStopSignal(
    () => {
      setTimeout(() => process.exit(1), LONGEST_STOP_MS).unref();
      stop().then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`stopping failed: ${error instanceof Error ? error.stack : String(error)}\n`);
          process.exit(1);
        },
      );
    },
    () => process.exit(1),
  );
}

/**
 * Ends this process as soon as its parent is gone, as if it had been killed itself: for what may be cut off at any moment.
 * Where an older Node is installed, `bin/plaza.mjs` is the parent, and what a person kills.
 */
export function endWithParent(): void {
  if (!process.connected) return;
  process.once('disconnect', () => process.exit(1));
  // The listener alone would keep a process up that has nothing left to do.
  process.channel?.unref();
}
