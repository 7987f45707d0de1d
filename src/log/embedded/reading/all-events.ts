import type { EventIndex } from '../storage/event-index.js';
import type { EventFilter } from './event-filter.js';
import { fitPage, MAX_PAGE_EVENTS, type Page, type Selection } from './selection.js';

export interface AllEventsOptions {
  filter?: EventFilter | undefined;
  /** Events looked at for one page. */
  window?: number;
}

const DEFAULT_WINDOW = 4096;

/** $all from an ordinal on. */
export class AllForwards implements Selection {
  /** Events looked at so far, whether they passed the filter or not. */
  considered = 0;

  constructor(
    private readonly index: EventIndex,
    private ordinal: number,
    private readonly options: AllEventsOptions = {},
  ) {}

  /** Ordinal of the event looked at last; undefined before the first. */
  get last(): number | undefined {
    return this.considered > 0 ? this.ordinal - 1 : undefined;
  }

  next(limit: number): Page {
    const { filter, window = DEFAULT_WINDOW } = this.options;
    const start = this.ordinal;
    const end = Math.min(this.index.count, start + window);
    const most = Math.min(limit, MAX_PAGE_EVENTS);
    const passed: number[] = [];
    let at = start;
    for (; at < end && passed.length < most; at++) if (!filter || filter(at)) passed.push(at);
    const ordinals = fitPage(this.index, passed);
    // what did not fit is looked at again
    this.ordinal = ordinals.length < passed.length ? (ordinals.at(-1) ?? start) + 1 : at;
    this.considered += this.ordinal - start;
    return { ordinals, atEnd: this.ordinal >= this.index.count };
  }
}

/** $all from before an ordinal back to the start. */
export class AllBackwards implements Selection {
  constructor(
    private readonly index: EventIndex,
    private ordinal: number,
    private readonly options: AllEventsOptions = {},
  ) {}

  next(limit: number): Page {
    const { filter, window = DEFAULT_WINDOW } = this.options;
    const end = Math.max(0, this.ordinal - window);
    const most = Math.min(limit, MAX_PAGE_EVENTS);
    const passed: number[] = [];
    let at = this.ordinal;
    for (; at > end && passed.length < most; at--) if (!filter || filter(at - 1)) passed.push(at - 1);
    const ordinals = fitPage(this.index, passed);
    this.ordinal = ordinals.length < passed.length ? (ordinals.at(-1) ?? at) : at;
    return { ordinals, atEnd: this.ordinal === 0 };
  }
}
