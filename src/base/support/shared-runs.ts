/** Runs `work` for several callers at once. Those who ask during a run share the next one, which begins after they asked. */
export class SharedRuns<Result> {
  private running: Promise<Result> | undefined;
  private next: Promise<Result> | undefined;

  constructor(private readonly work: () => Promise<Result>) {}

  /** Settles like the first run that begins after this call. */
  run(): Promise<Result> {
    if (!this.running) {
      this.running = this.work().finally(() => (this.running = undefined));
      return this.running;
    }
    this.next ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return this.run();
      });
    return this.next;
  }
}
