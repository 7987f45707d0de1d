/** How far long work is. */
export interface Step {
  /** What is being done: `log`. */
  readonly what: string;
  readonly done: number;
  /** As far as it can be known before the end; null: it cannot. */
  readonly total: number | null;
  /** Of `done` a second, where whoever does it measures it; undefined: as it is seen from here. */
  readonly rate?: number | undefined;
}

/** Where progress is shown: a stream that may be a terminal. */
interface Shown {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const EVERY_MS = { terminal: 200, elsewhere: 1_000 };

/**
 * Shows long work on a terminal as one line that is written over, elsewhere as JSON lines: done, total, rate a second,
 * seconds left. On standard error, since the answer is on standard output.
 */
export class Progress {
  #last: Step | undefined;
  #since = 0;
  #shownAt = 0;

  constructor(
    private readonly unit: (count: number) => string,
    private readonly shown: Shown = process.stderr,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Not every step is shown; the last one of each kind of work is. */
  show(step: Step): void {
    const now = this.now();
    const isSame = step.what === this.#last?.what;
    if (!isSame) {
      this.done();
      this.#since = now;
    }
    this.#last = step;
    if (isSame && now - this.#shownAt < EVERY_MS[this.shown.isTTY ? 'terminal' : 'elsewhere']) return;
    this.#shownAt = now;
    this.#write(step);
  }

  /** What was shown last becomes the last word: steps that were passed over are not said to be done. */
  done(): void {
    if (!this.#last) return;
    this.#write(this.#last);
    if (this.shown.isTTY) this.shown.write('\n');
    this.#last = undefined;
  }

  #write({ what, done, total, rate: measured }: Step): void {
    const seconds = (this.now() - this.#since) / 1_000;
    const rate = Math.round(measured ?? (seconds > 0 ? done / seconds : 0));
    const left = rate > 0 && total !== null ? Math.max(0, Math.ceil((total - done) / rate)) : undefined;
    if (!this.shown.isTTY) {
      this.shown.write(`${JSON.stringify({ what, done, total, rate, secondsLeft: left ?? null })}\n`);
      return;
    }
    const pace = left === undefined ? '' : `, ${this.unit(rate)}/s, ${left} s left`;
    this.shown.write(
      `\r\u001B[K${what}: ${this.unit(done)}${total === null ? '' : ` of ${this.unit(total)}`}${pace}`,
    );
  }
}

/** Bytes as people read them: `12.3 MB`. */
export function inBytes(count: number): string {
  const [size, unit] =
    count < 1e6 ? [count / 1e3, 'kB'] : count < 1e9 ? [count / 1e6, 'MB'] : [count / 1e9, 'GB'];
  return `${size.toFixed(1)} ${unit}`;
}
