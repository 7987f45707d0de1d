import { LINK_TYPE } from '../storage/event-index.js';
import { halvesOfEventId } from '../storage/event-id.js';
import { ID_FIELD_LENGTH, RecordView } from '../storage/record.js';
import type { Store } from '../storage/store.js';
import { bytesSize, varintSize, writeBytes, writeVarint } from '../storage/wire.js';
import { visibleEvent } from './stream-events.js';

export interface Presentation {
  /** Send what links point to, with the link beside it. */
  resolveLinks: boolean;
  /** Send ids as two 64-bit halves instead of text. */
  structuredIds: boolean;
}

const LINK = /^(\d+)@(.+)$/s;

/** The messages to send for events: mostly the records as they are. */
export async function present(
  store: Store,
  ordinals: readonly number[],
  how: Presentation,
): Promise<Buffer[]> {
  const records = await store.records.read(ordinals);
  if (!how.resolveLinks && !how.structuredIds) return records;
  return Promise.all(
    records.map(async (record, i) => {
      const view = new RecordView().at(record, 0);
      const recorded = (of: RecordView): Buffer => (how.structuredIds ? withStructuredId(of) : of.recorded);
      if (!how.resolveLinks || store.index.types.textOf(store.index.typeOf(ordinals[i] ?? 0)) !== LINK_TYPE) {
        return how.structuredIds ? readEvent(recorded(view), undefined, view.position) : record;
      }
      const target = await linkTarget(store, view.data.toString());
      return readEvent(target && recorded(target), recorded(view), view.position);
    }),
  );
}

/** The event that a link's data, `revision@stream`, points to, if it is to be seen. */
async function linkTarget(store: Store, data: string): Promise<RecordView | undefined> {
  const [, revision, stream] = LINK.exec(data) ?? [];
  if (revision === undefined || stream === undefined) return undefined;
  const ordinal = visibleEvent(store.index, stream, Number(revision), store.now());
  if (ordinal === undefined) return undefined;
  const [record] = await store.records.read([ordinal]);
  return record && new RecordView().at(record, 0);
}

/** ReadResp { event: ReadEvent { event, link, commit_position } } */
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

/** The RecordedEvent of a record with its id as UUID.structured. */
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
