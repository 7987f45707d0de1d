import type { EventIndex } from '../storage/event-index.js';
import type { EventFilter } from './event-filter.js';
import { fitPage, MAX_PAGE_EVENTS, type Page, type Selection } from './event-cursor.js';

/** Scanned events per page: a filter that matches nothing must not block other calls. */
const MAX_LOOKED_AT = 4096;

export class AllForwards implements Selection {
  considered = 0;

  constructor(
    private readonly index: EventIndex,
    private ordinal: number,
    private readonly filter?: EventFilter,
    /** Pages end at multiples of this number of scanned events. */
    private readonly pageEnds = Infinity,
  ) {}

  get last(): number | undefined {
    return this.considered > 0 ? this.ordinal - 1 : undefined;
  }

  next(limit: number): Page {
    const { filter, ordinal: start } = this;
    const lookAt = Math.min(MAX_LOOKED_AT, this.pageEnds - (this.considered % this.pageEnds));
    const end = Math.min(this.index.count, start + lookAt);
    const most = Math.min(limit, MAX_PAGE_EVENTS);
    const passed: number[] = [];
    let at = start;
    for (; at < end && passed.length < most; at++) if (!filter || filter(at)) passed.push(at);
    const ordinals = fitPage(this.index, passed);
    this.ordinal = ordinals.length < passed.length ? (ordinals.at(-1) ?? start) + 1 : at;
    this.considered += this.ordinal - start;
    return { ordinals, atEnd: this.ordinal >= this.index.count };
  }
}

export class AllBackwards implements Selection {
  constructor(
    private readonly index: EventIndex,
    private ordinal: number,
    private readonly filter?: EventFilter,
  ) {}

  next(limit: number): Page {
    const { filter } = this;
    const end = Math.max(0, this.ordinal - MAX_LOOKED_AT);
    const most = Math.min(limit, MAX_PAGE_EVENTS);
    const passed: number[] = [];
    let at = this.ordinal;
    for (; at > end && passed.length < most; at--) if (!filter || filter(at - 1)) passed.push(at - 1);
    const ordinals = fitPage(this.index, passed);
    this.ordinal = ordinals.length < passed.length ? (ordinals.at(-1) ?? at) : at;
    return { ordinals, atEnd: this.ordinal === 0 };
  }
}
