/**
 * A second stop signal within this time is taken for the same request: Ctrl-C reaches a process twice, from the
 * terminal and forwarded by npm.
 */
const REPEAT_WINDOW_MS = 1_000;
const STOP_TIMEOUT_MS = 10_000;

export function announceReady(): void {
  process.send?.({ type: 'ready' });
}

/**
 * Reasons why a process cannot serve. `port`: its port is taken, another one would do. `data`: its data is in use or
 * damaged, so a restart would fail too.
 */
export type StartRefusal = 'port' | 'data';

/**
 * Tells the parent process why this one cannot serve. Resolves when the message is sent, so that the process may end.
 * Does nothing without a parent that listens.
 */
export async function announceRefusal(why: StartRefusal): Promise<void> {
  if (!process.connected) return;
  await new Promise<void>((resolve) => {
    process.send?.({ type: 'refusal', why }, () => resolve());
  });
}

/**
 * Calls `begin` at the first stop request: SIGTERM, SIGINT, SIGHUP, or the end of the parent process. Calls `insist`
 * at each further request.
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
 * At the first stop request, runs `stop` and exits with 0. Exits with 1 if `stop` fails or takes too long, or at the
 * next request.
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
 * Exits with 1 as soon as the parent process is gone; for work that may be interrupted at any moment. Under an older
 * Node, the command runs in a child of `bin/plaza.mjs`: an operator who ends the command ends that parent.
 */
export function endWithParent(): void {
  if (!process.connected) return;
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
}
