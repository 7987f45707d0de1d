import { plainText } from './plain-text.js';

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
export class ProgressLine {
  #last: Step | undefined;
  #written: Step | undefined;
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
    this.#write(step, now);
  }

  /** What came last becomes the last word: steps that were passed over are not said to be done. */
  done(): void {
    if (!this.#last) return;
    if (!isAsFar(this.#last, this.#written)) this.#write(this.#last, this.now());
    if (this.shown.isTTY) this.shown.write('\n');
    this.#last = undefined;
  }

  #write(step: Step, now: number): void {
    this.#written = step;
    this.#shownAt = now;
    const { done, total, rate: measured } = step;
    const what = plainText(step.what);
    const seconds = (now - this.#since) / 1_000;
    const rate = Math.round(measured ?? (seconds > 0 ? done / seconds : 0));
    const left = total === null ? undefined : secondsFor(total - done, rate);
    if (!this.shown.isTTY) {
      this.shown.write(`${JSON.stringify({ what, done, total, rate, secondsLeft: left ?? null })}\n`);
      return;
    }
    const pace = left === undefined || rate === 0 ? '' : `, ${this.unit(rate)}/s, ${left} s left`;
    this.shown.write(
      `\r\u001B[K${what}: ${this.unit(done)}${total === null ? '' : ` of ${this.unit(total)}`}${pace}`,
    );
  }
}

const isAsFar = (one: Step, other: Step | undefined) =>
  one.what === other?.what && one.done === other.done && one.total === other.total;

/** Undefined: nobody knows. */
function secondsFor(left: number, rate: number): number | undefined {
  if (left <= 0) return 0;
  return rate > 0 ? Math.ceil(left / rate) : undefined;
}

/** Bytes as people read them: `12.3 MB`. */
export function inBytes(count: number): string {
  const [size, unit] =
    count < 1e6 ? [count / 1e3, 'kB'] : count < 1e9 ? [count / 1e6, 'MB'] : [count / 1e9, 'GB'];
  return `${size.toFixed(1)} ${unit}`;
}
