import { LINK_TYPE, type EventIndex } from '../storage/event-index.js';
import { halvesOfEventId } from '../storage/event-id.js';
import { ID_FIELD_LENGTH, RecordView } from '../storage/record.js';
import type { Store } from '../storage/store.js';
import { bytesSize, varintSize, writeBytes, writeVarint } from '../storage/wire.js';
import { MAX_PAGE_BYTES } from './event-cursor.js';
import { visibleOrdinal } from './stream-events.js';

export interface ResponseFormat {
  resolveLinks: boolean;
  structuredIds: boolean;
}

const LINK = /^(\d+)@(.+)$/s;

/**
 * Yields the encoded responses for a page of events: the stored records, unchanged, unless links are resolved or ids
 * converted.
 */
export async function* readResponses(
  store: Store,
  ordinals: readonly number[],
  format: ResponseFormat,
): AsyncGenerator<Buffer[]> {
  const records = await store.records.read(ordinals);
  if (!format.resolveLinks) {
    yield format.structuredIds ? records.map((record) => responseOf(format, record)) : records;
    return;
  }
  const linkType = store.index.types.find(Buffer.from(LINK_TYPE));
  const events = records.map((record, i) => {
    const isLink = store.index.typeOf(ordinals[i] ?? 0) === linkType;
    return isLink ? { link: record, target: linkTarget(store, record) } : { record };
  });
  for (const chunk of chunksByTarget(store.index, events)) yield resolveLinks(store, chunk, format);
}

type PageEvent = { record: Buffer } | { link: Buffer; target: number | undefined };

const targetOf = (event: PageEvent): number | undefined => ('link' in event ? event.target : undefined);

/**
 * Splits a page whose links are resolved: small links may point to large events, and the targets of one part must not
 * exceed the size of a page.
 */
function* chunksByTarget(index: EventIndex, events: readonly PageEvent[]): Generator<PageEvent[]> {
  let chunk: PageEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const target = targetOf(event);
    const length = target === undefined ? 0 : index.lengthOf(target);
    if (bytes > 0 && bytes + length > MAX_PAGE_BYTES) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(event);
    bytes += length;
  }
  yield chunk;
}

async function resolveLinks(
  store: Store,
  events: readonly PageEvent[],
  format: ResponseFormat,
): Promise<Buffer[]> {
  const targets = events.map(targetOf).filter((target) => target !== undefined);
  const records = (await store.records.read(targets)).values();
  return events.map((event) => {
    if ('record' in event) return format.structuredIds ? responseOf(format, event.record) : event.record;
    const target = event.target === undefined ? undefined : records.next().value;
    return responseOf(format, target, event.link);
  });
}

function linkTarget(store: Store, link: Buffer): number | undefined {
  const [, revision, stream] = LINK.exec(new RecordView().at(link, 0).data.toString()) ?? [];
  if (revision === undefined || stream === undefined) return undefined;
  return visibleOrdinal(store.index, stream, Number(revision), store.now());
}

/**
 * Encodes the response for an event, or for a link with its target. A resolved link has its own position in the log,
 * not that of its target.
 */
function responseOf({ structuredIds }: ResponseFormat, event: Buffer | undefined, link?: Buffer): Buffer {
  const [of, by] = [event, link].map((record) => record && new RecordView().at(record, 0));
  const recorded = (view: RecordView | undefined): Buffer | undefined =>
    view && structuredIds ? withStructuredId(view) : view?.recorded;
  return readEvent(recorded(of), recorded(by), (by ?? of)?.position ?? 0);
}

/** Encodes the message ReadResp { event: ReadEvent { event, link, commit_position } }. */
function readEvent(event: Buffer | undefined, link: Buffer | undefined, position: number): Buffer {
  const sizeOf = (part: Buffer | undefined): number => (part ? bytesSize(part.length) : 0);
  const size = sizeOf(event) + sizeOf(link) + 1 + varintSize(position);
  const message = Buffer.allocUnsafe(bytesSize(size));
  message[0] = 0x0a;
  let at = writeVarint(message, 1, size);
  if (event) at = writeBytes(message, at, 1, event);
  if (link) at = writeBytes(message, at, 2, link);
  message[at] = 0x18;
  writeVarint(message, at + 1, position);
  return message;
}

function withStructuredId(view: RecordView): Buffer {
  const { most, least } = halvesOfEventId(view.id);
  const halves = Buffer.concat([Buffer.of(0x08), varint64(most), Buffer.of(0x10), varint64(least)]);
  const uuid = Buffer.concat([Buffer.of(0x0a, halves.length), halves]);
  return Buffer.concat([Buffer.of(0x0a, uuid.length), uuid, view.recorded.subarray(ID_FIELD_LENGTH)]);
}

function varint64(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}
