import type { EventIndex } from '../storage/event-index.js';
import { SOFT_DELETED_BEFORE, originalStreamOf, type StreamMetadata } from '../storage/stream-metadata.js';
import { TOMBSTONE_REVISION } from '../storage/wire.js';
import { fitIntoPage, MAX_PAGE_EVENTS, type Page, type EventCursor } from './event-cursor.js';

const METASTREAM_METADATA: StreamMetadata = { maxCount: 1 };

export type StreamView = { kind: 'missing' } | { kind: 'deleted' } | VisibleRevisions;

/**
 * Revisions of a stream that a reader sees: `first` to `last` (none if first > last), created at or after `since`
 * (ms).
 */
interface VisibleRevisions {
  kind: 'present';
  stream: number;
  first: number;
  last: number;
  since: number;
}

export function viewStream(index: EventIndex, name: string, nowMs: number): StreamView {
  const original = originalStreamOf(name);
  if (isTombstoned(index, name) || (original !== undefined && isTombstoned(index, original)))
    return { kind: 'deleted' };
  const stream = index.streamNumber(name);
  if (stream === undefined || index.countOf(stream) === 0) return { kind: 'missing' };
  const { maxCount, maxAgeMs, truncateBefore } =
    original === undefined ? index.metadataOf(stream) : METASTREAM_METADATA;
  if (truncateBefore === SOFT_DELETED_BEFORE) return { kind: 'missing' };
  const last = index.countOf(stream) - 1;
  const first = Math.max(0, maxCount === undefined ? 0 : last - maxCount + 1, truncateBefore ?? 0);
  return { kind: 'present', stream, first, last, since: maxAgeMs === undefined ? 0 : nowMs - maxAgeMs };
}

export function visibleOrdinal(
  index: EventIndex,
  name: string,
  revision: number,
  nowMs: number,
): number | undefined {
  const view = viewStream(index, name, nowMs);
  if (view.kind !== 'present' || revision < view.first || revision > view.last) return undefined;
  const ordinal = index.ordinalOf(view.stream, revision);
  return index.createdMsOf(ordinal) >= view.since ? ordinal : undefined;
}

/** Returns the first visible revision at or after `from`; `last` + 1 if there is none. */
export function firstVisibleRevision(
  index: EventIndex,
  { stream, first, last, since }: VisibleRevisions,
  from: number,
): number {
  // creation times ascend within a stream
  let low = Math.min(Math.max(from, first), last + 1);
  if (since === 0) return low;
  let high = last + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (index.createdMsOf(index.ordinalOf(stream, middle)) < since) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class StreamForwards implements EventCursor {
  constructor(
    private readonly index: EventIndex,
    private readonly name: string,
    private revision: number,
    private readonly now: () => number,
  ) {}

  next(limit: number): Page {
    const view = viewStream(this.index, this.name, this.now());
    if (view.kind !== 'present') return { ordinals: [], atEnd: true };
    const { stream, last } = view;
    const from = firstVisibleRevision(this.index, view, this.revision);
    const count = Math.min(limit, MAX_PAGE_EVENTS, last - from + 1);
    if (count <= 0) return { ordinals: [], atEnd: from > last };
    const ordinals = fitIntoPage(this.index, this.index.ordinalsOf(stream, from, count));
    this.revision = from + ordinals.length;
    return { ordinals, atEnd: this.revision > last };
  }
}

export class StreamBackwards implements EventCursor {
  constructor(
    private readonly index: EventIndex,
    private readonly name: string,
    private revision: number,
    private readonly now: () => number,
  ) {}

  next(limit: number): Page {
    const view = viewStream(this.index, this.name, this.now());
    if (view.kind !== 'present') return { ordinals: [], atEnd: true };
    const end = Math.min(this.revision, view.last);
    const from = Math.max(view.first, end - Math.min(limit, MAX_PAGE_EVENTS) + 1);
    if (end < from) return { ordinals: [], atEnd: true };
    const block = this.index.ordinalsOf(view.stream, from, end - from + 1).reverse();
    const ordinals = fitIntoPage(this.index, block);
    this.revision = end - ordinals.length;
    return {
      ordinals: ordinals.filter((ordinal) => this.index.createdMsOf(ordinal) >= view.since),
      atEnd: this.revision < view.first,
    };
  }
}

function isTombstoned(index: EventIndex, name: string): boolean {
  const stream = index.streamNumber(name);
  return stream !== undefined && index.lastRevision(stream) === TOMBSTONE_REVISION;
}
