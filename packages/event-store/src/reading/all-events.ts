import type { EventIndex } from '../storage/event-index.js';
import type { EventFilter } from './event-filter.js';
import { fitIntoPage, MAX_PAGE_EVENTS, type Page, type EventCursor } from './event-cursor.js';

/** Most events that one page scans: a filter that matches nothing must not block other calls. */
const MAX_SCANNED = 4096;

export class AllForwards implements EventCursor {
  scanned = 0;

  constructor(
    private readonly index: EventIndex,
    private ordinal: number,
    private readonly filter?: EventFilter,
    /** A page ends when the number of scanned events is a multiple of this, so that a checkpoint can be sent. */
    private readonly pageInterval = Infinity,
  ) {}

  get last(): number | undefined {
    return this.scanned > 0 ? this.ordinal - 1 : undefined;
  }

  next(limit: number): Page {
    const { filter, ordinal: start } = this;
    const scanLimit = Math.min(MAX_SCANNED, this.pageInterval - (this.scanned % this.pageInterval));
    const end = Math.min(this.index.count, start + scanLimit);
    const maxEvents = Math.min(limit, MAX_PAGE_EVENTS);
    const matching: number[] = [];
    let at = start;
    for (; at < end && matching.length < maxEvents; at++) if (!filter || filter(at)) matching.push(at);
    const ordinals = fitIntoPage(this.index, matching);
    this.ordinal = ordinals.length < matching.length ? (ordinals.at(-1) ?? start) + 1 : at;
    this.scanned += this.ordinal - start;
    return { ordinals, atEnd: this.ordinal >= this.index.count };
  }
}

export class AllBackwards implements EventCursor {
  constructor(
    private readonly index: EventIndex,
    private ordinal: number,
    private readonly filter?: EventFilter,
  ) {}

  next(limit: number): Page {
    const { filter } = this;
    const end = Math.max(0, this.ordinal - MAX_SCANNED);
    const maxEvents = Math.min(limit, MAX_PAGE_EVENTS);
    const matching: number[] = [];
    let at = this.ordinal;
    for (; at > end && matching.length < maxEvents; at--)
      if (!filter || filter(at - 1)) matching.push(at - 1);
    const ordinals = fitIntoPage(this.index, matching);
    this.ordinal = ordinals.length < matching.length ? (ordinals.at(-1) ?? at) : at;
    return { ordinals, atEnd: this.ordinal === 0 };
  }
}
