export class RateMeter {
  private readonly begun: number;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.begun = now();
  }

  of(done: number): number {
    const seconds = (this.now() - this.begun) / 1_000;
    return seconds > 0 ? done / seconds : 0;
  }
}
