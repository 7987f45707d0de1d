import { sleep } from './sleep.js';

/**
 * Calls `runOnce` at the start, and again `everyMs` after each call ends, until stopped. `runOnce` must not reject:
 * it logs its own failures.
 */
export abstract class PeriodicTask {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  protected stopped: AbortSignal = this.stopping.signal;

  constructor(private readonly everyMs: number) {}

  start(): void {
    this.running = this.run(this.stopping.signal);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  async run(stop: AbortSignal): Promise<void> {
    this.stopped = stop;
    while (!stop.aborted) {
      await this.runOnce();
      await sleep(this.everyMs, stop);
    }
  }

  protected abstract runOnce(): Promise<void>;

  protected get isStopping(): boolean {
    return this.stopped.aborted;
  }
}
