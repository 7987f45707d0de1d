/**
 * Ctrl-C reaches a process twice, from the terminal and forwarded by npm: a second signal this soon is the same
 * request.
 */
const REPEAT_WINDOW_MS = 1_000;
const STOP_TIMEOUT_MS = 10_000;

export function announceReady(): void {
  process.send?.({ type: 'ready' });
}

/** Reasons why a process cannot serve. `port`: another port would do. `data`: no restart helps. */
export type StartRefusal = 'port' | 'data';

/** Resolves when the message is sent, so the process may end. Does nothing in a process that was started by hand. */
export async function announceRefusal(why: StartRefusal): Promise<void> {
  if (!process.connected) return;
  await new Promise<void>((resolve) => {
    process.send?.({ type: 'refusal', why }, () => resolve());
  });
}

/**
 * Calls `begin` once, on SIGTERM, SIGINT, SIGHUP or when the IPC channel of the parent closes. Calls `insist` on a
 * repeated request.
 */
export function onStopSignal(begin: (why: string) => void, insist: () => void): void {
  let requestedAt: number | undefined;
  const requestStop = (why: string): void => {
    if (requestedAt === undefined) {
      requestedAt = performance.now();
      begin(why);
    } else if (performance.now() - requestedAt > REPEAT_WINDOW_MS) insist();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, requestStop);
  if (!process.connected) return;
  process.once('disconnect', () => requestStop('the parent process is gone'));
  process.channel?.unref();
}

/**
 * Runs `stop` once, on a stop signal or when the parent is gone, then exits with 0. Exits with 1 if `stop` fails, takes
 * too long, or is requested again.
 */
export function stopOnSignal(stop: () => Promise<void>): void {
  onStopSignal(
    () => {
      setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
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
 * Exits with 1 as soon as the parent is gone, for work that may be interrupted at any moment. Under an older Node,
 * `bin/plaza.mjs` is the parent, the process that an operator kills.
 */
export function endWithParent(): void {
  if (!process.connected) return;
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
}
