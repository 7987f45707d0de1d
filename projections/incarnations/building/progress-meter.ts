import { RateMeter } from './rate-meter.js';
import type { BuildProgress, OnProgress } from './build-progress.js';

const REPORT_INTERVAL_MS = 250;

export class PhaseMeter {
  private readonly rateMeter: RateMeter;
  private reportedAt = -Infinity;

  constructor(
    private readonly phase: BuildProgress['phase'],
    private readonly onProgress: OnProgress,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.rateMeter = new RateMeter(now);
  }

  /**
   * Reports progress at most every 250 ms, and at the end. `here`: done in this run; `before`: done in earlier runs.
   */
  tell(here: number, total: number, before = 0): void {
    const now = this.now();
    const left = Math.max(0, Math.round(total - before - here));
    if (left > 0 && now - this.reportedAt < REPORT_INTERVAL_MS) return;
    this.reportedAt = now;
    const rate = this.rateMeter.of(here);
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
 * Estimates the number of events from positions: the observed events per position hold for the rest of the
 * log and for earlier runs.
 */
export class LogProgressMeter {
  private events = 0;

  constructor(
    private readonly meter: PhaseMeter,
    private readonly range: { readonly from: bigint; readonly to: bigint },
  ) {}

  add(events: number, position: bigint): void {
    this.events += events;
    const { from, to } = this.range;
    const each = this.events / Math.max(1, Number(position - from));
    const end = position > to ? position : to;
    this.meter.tell(this.events, each * Number(end), each * Number(from));
  }
}
