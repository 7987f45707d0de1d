import { setTimeout as pause } from 'node:timers/promises';

/** Work that is done at once, and again some time after it came to its end, until it is stopped. */
export abstract class PeriodicTask {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly everyMs: number) {}

  start(): void {
    this.running = this.run();
  }

  /** Waits for what is under way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Does the work once. Never rejects: what went wrong is said, and tried again. */
  protected abstract once(): Promise<void>;

  protected get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.once();
      await pause(this.everyMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
