/**
 * Aborts its signal if nobody calls `heard` for this time: a read that lasts long may go on while its data arrive.
 */
export class SilenceTimer {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;

  constructor(longestMs: number) {
    this.timer = setTimeout(
      () =>
        this.controller.abort(
          new Error(`A long read was given up: the event store sent nothing for ${longestMs} ms`),
        ),
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
