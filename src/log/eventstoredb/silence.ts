export class SilenceTimer {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;

  constructor(longestMs: number) {
    this.timer = setTimeout(
      () => this.controller.abort(new Error(`The event store sent nothing for ${longestMs} ms`)),
      longestMs,
    );
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  heard(): void {
    this.timer.refresh();
  }

  end(): void {
    clearTimeout(this.timer);
  }
}
