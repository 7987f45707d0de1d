import { plainText } from '../support/plain-text.js';
import { terminal } from './terminal.js';

export interface ProgressStep {
  /** Name of the current work: `log`. */
  readonly what: string;
  readonly done: number;
  /** Null: unknown before the end. */
  readonly total: number | null;
  /** Rate of `done` a second as measured by the worker; undefined: measured here. */
  readonly rate?: number | undefined;
}

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const INTERVAL_MS = { terminal: 200, elsewhere: 1_000 };

/**
 * Shows progress on a terminal as one line that is overwritten, elsewhere as JSON lines: done, total, rate a second,
 * seconds left. It writes to standard error, since the answer goes to standard output.
 */
export class ProgressLine {
  #last: ProgressStep | undefined;
  #written: ProgressStep | undefined;
  #since = 0;
  #shownAt = 0;

  constructor(
    private readonly unit: (count: number) => string,
    private readonly output: Output = terminal().stderr,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Skips steps within the interval, but never the last one of each kind of work. */
  show(step: ProgressStep): void {
    const now = this.now();
    const isSame = step.what === this.#last?.what;
    if (!isSame) {
      this.done();
      this.#since = now;
    }
    this.#last = step;
    if (isSame && now - this.#shownAt < INTERVAL_MS[this.output.isTTY ? 'terminal' : 'elsewhere']) return;
    this.#write(step, now);
  }

  done(): void {
    if (!this.#last) return;
    if (!isSameProgress(this.#last, this.#written)) this.#write(this.#last, this.now());
    if (this.output.isTTY) this.output.write('\n');
    this.#last = undefined;
  }

  #write(step: ProgressStep, now: number): void {
    this.#written = step;
    this.#shownAt = now;
    const { done, total, rate: measured } = step;
    const what = plainText(step.what);
    const seconds = (now - this.#since) / 1_000;
    const rate = Math.round(measured ?? (seconds > 0 ? done / seconds : 0));
    const left = total === null ? undefined : secondsFor(total - done, rate);
    if (!this.output.isTTY) {
      this.output.write(`${JSON.stringify({ what, done, total, rate, secondsLeft: left ?? null })}\n`);
      return;
    }
    const estimate = left === undefined || rate === 0 ? '' : `, ${this.unit(rate)}/s, ${left} s left`;
    this.output.write(
      `\r\u001B[K${what}: ${this.unit(done)}${total === null ? '' : ` of ${this.unit(total)}`}${estimate}`,
    );
  }
}

const isSameProgress = (one: ProgressStep, other: ProgressStep | undefined) =>
  one.what === other?.what && one.done === other.done && one.total === other.total;

function secondsFor(left: number, rate: number): number | undefined {
  if (left <= 0) return 0;
  return rate > 0 ? Math.ceil(left / rate) : undefined;
}

export function formatBytes(count: number): string {
  const [size, unit] =
    count < 1e6 ? [count / 1e3, 'kB'] : count < 1e9 ? [count / 1e6, 'MB'] : [count / 1e9, 'GB'];
  return `${size.toFixed(1)} ${unit}`;
}
