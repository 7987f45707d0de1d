import { sleep } from './sleep.js';

/**
 * Calls `runOnce` at the start, and again `everyMs` after each call ends, until stopped. `runOnce` must not reject:
 * it logs its own failures.
 */
export abstract class PeriodicTask {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly everyMs: number) {}

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  protected abstract runOnce(): Promise<void>;

  protected get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.runOnce();
      await sleep(this.everyMs, signal);
    }
  }
}
