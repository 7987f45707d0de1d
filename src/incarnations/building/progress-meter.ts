import { RateMeter } from './rate-meter.js';
import type { BuildProgress, OnProgress } from './build-progress.js';

/** Often enough to look alive, seldom enough to cost nothing. */
const EVERY_MS = 250;

/** Measures one phase of a build. `now`: milliseconds, of a clock that only goes forward. */
export class PhaseMeter {
  private readonly pace: RateMeter;
  private told = -Infinity;

  constructor(
    private readonly phase: BuildProgress['phase'],
    private readonly onProgress: OnProgress,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.pace = new RateMeter(now);
  }

  /** `here`: how much was done in this run; `before`: in earlier ones. Told now and then, and at the end. */
  tell(here: number, total: number, before = 0): void {
    const now = this.now();
    const left = Math.max(0, Math.round(total - before - here));
    if (left > 0 && now - this.told < EVERY_MS) return;
    this.told = now;
    const rate = this.pace.of(here);
    this.onProgress({
      phase: this.phase,
      done: Math.round(before + here),
      total: Math.round(before + here) + left,
      rate: Math.round(rate),
      secondsLeft: rate > 0 ? Math.round(left / rate) : undefined,
    });
  }
}

/**
 * Counts events on a way through the log, of which only positions are known: as many events are expected on the rest of
 * the way, and were on the way before, as there were for each position in between.
 */
export class LogMeter {
  private events = 0;

  constructor(
    private readonly meter: PhaseMeter,
    /** Where this run begins, and the end of the log, as positions. */
    private readonly way: { readonly from: bigint; readonly to: bigint },
  ) {}

  add(events: number, position: bigint): void {
    this.events += events;
    const { from, to } = this.way;
    const each = this.events / Math.max(1, Number(position - from));
    const end = position > to ? position : to;
    this.meter.tell(this.events, each * Number(end), each * Number(from));
  }
}
