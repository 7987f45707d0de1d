/**
 * A record of the log is a `ReadResp` message of the protocol, stored exactly as it is sent:
 *
 *   ReadResp { event: ReadEvent { event: RecordedEvent, commit_position } }
 *
 * The encoder writes the fields of RecordedEvent in ascending order; the reader relies on that order.
 */
import { bytesSize, varintSize, WireReader, writeBytes, writeVarint } from './wire.js';
import { EVENT_ID_LENGTH } from './event-id.js';

export interface NewRecord {
  id: string;
  stream: Buffer;
  /** From 0; TOMBSTONE_REVISION for a tombstone. */
  revision: number;
  type: Buffer;
  isJson: boolean;
  createdMs: number;
  data: Uint8Array;
  metadata: Uint8Array;
}

const TAG = {
  readEvent: 0x0a,
  recordedEvent: 0x0a,
  streamIdentifier: 0x12,
  streamRevision: 0x18,
  preparePosition: 0x20,
  commitPosition: 0x28,
  metadataEntry: 0x32,
  readEventPosition: 0x18,
} as const;
const KEY_TYPE = Buffer.from('type');
const KEY_CREATED = Buffer.from('created');
const KEY_CONTENT_TYPE = Buffer.from('content-type');
const JSON_TYPE = Buffer.from('application/json');
const BINARY_TYPE = Buffer.from('application/octet-stream');

export const ID_FIELD_LENGTH = 4 + EVENT_ID_LENGTH;

const entrySize = (key: Buffer, valueLength: number): number =>
  bytesSize(key.length) + bytesSize(valueLength);

export class RecordEncoder {
  readonly size: number;
  readonly #recordedSize: number;
  readonly #readEventSize: number;
  readonly #created: Buffer;

  constructor(
    private readonly record: NewRecord,
    readonly position: number,
  ) {
    // the protocol counts .NET ticks of 100 ns since the epoch
    this.#created = Buffer.from(`${Math.trunc(record.createdMs)}0000`);
    const at = varintSize(position);
    this.#recordedSize =
      ID_FIELD_LENGTH +
      bytesSize(bytesSize(record.stream.length)) +
      (1 + varintSize(record.revision)) +
      2 * (1 + at) +
      bytesSize(entrySize(KEY_TYPE, record.type.length)) +
      bytesSize(entrySize(KEY_CREATED, this.#created.length)) +
      bytesSize(entrySize(KEY_CONTENT_TYPE, this.#contentType.length)) +
      bytesSize(record.metadata.length) +
      bytesSize(record.data.length);
    this.#readEventSize = bytesSize(this.#recordedSize) + 1 + at;
    this.size = bytesSize(this.#readEventSize);
  }

  get #contentType(): Buffer {
    return this.record.isJson ? JSON_TYPE : BINARY_TYPE;
  }

  write(to: Buffer, start: number): number {
    const { record, position } = this;
    to[start] = TAG.readEvent;
    let at = writeVarint(to, start + 1, this.#readEventSize);
    to[at] = TAG.recordedEvent;
    at = writeVarint(to, at + 1, this.#recordedSize);
    at += to.write(`\x0a\x26\x12\x24${record.id}`, at, 'latin1'); // id: UUID.string
    to[at] = TAG.streamIdentifier;
    at = writeVarint(to, at + 1, bytesSize(record.stream.length));
    at = writeBytes(to, at, 3, record.stream);
    to[at] = TAG.streamRevision;
    at = writeVarint(to, at + 1, record.revision);
    to[at] = TAG.preparePosition;
    at = writeVarint(to, at + 1, position);
    to[at] = TAG.commitPosition;
    at = writeVarint(to, at + 1, position);
    at = writeEntry(to, at, KEY_TYPE, record.type);
    at = writeEntry(to, at, KEY_CREATED, this.#created);
    at = writeEntry(to, at, KEY_CONTENT_TYPE, this.#contentType);
    at = writeBytes(to, at, 7, record.metadata);
    at = writeBytes(to, at, 8, record.data);
    to[at] = TAG.readEventPosition;
    return writeVarint(to, at + 1, position);
  }
}

function writeEntry(to: Buffer, start: number, key: Buffer, value: Buffer): number {
  to[start] = TAG.metadataEntry;
  let at = writeVarint(to, start + 1, entrySize(key, value.length));
  at = writeBytes(to, at, 1, key);
  return writeBytes(to, at, 2, value);
}

/** Offsets of the fields of one record. One object is reused for many records, because recovery reads millions. */
export class RecordView {
  bytes: Buffer = Buffer.alloc(0);
  recordedStart = 0;
  recordedEnd = 0;
  streamStart = 0;
  streamEnd = 0;
  revision = 0;
  position = 0;
  typeStart = 0;
  typeEnd = 0;
  createdMs = 0;
  isJson = false;
  dataStart = 0;
  dataEnd = 0;
  readonly #reader = new WireReader(this.bytes, 0);

  at(bytes: Buffer, start: number): this {
    const reader = this.#reader;
    this.bytes = reader.bytes = bytes;
    reader.at = start;
    reader.taggedVarint();
    const recordedSize = reader.taggedVarint();
    this.recordedStart = reader.at;
    this.recordedEnd = reader.at + recordedSize;
    reader.at += ID_FIELD_LENGTH;
    reader.taggedVarint();
    this.streamEnd = this.#bytes(reader);
    this.streamStart = this.#start;
    this.revision = reader.taggedVarint();
    reader.taggedVarint();
    this.position = reader.taggedVarint();
    this.typeEnd = this.#entry(reader, KEY_TYPE);
    this.typeStart = this.#start;
    const createdEnd = this.#entry(reader, KEY_CREATED);
    this.createdMs = digits(bytes, this.#start, createdEnd - 4);
    this.isJson = this.#entry(reader, KEY_CONTENT_TYPE) - this.#start === JSON_TYPE.length;
    this.#bytes(reader);
    this.dataEnd = this.#bytes(reader);
    this.dataStart = this.#start;
    return this;
  }

  get id(): string {
    const start = this.recordedStart + 4;
    return this.bytes.toString('latin1', start, start + EVENT_ID_LENGTH);
  }

  get recorded(): Buffer {
    return this.bytes.subarray(this.recordedStart, this.recordedEnd);
  }

  get data(): Buffer {
    return this.bytes.subarray(this.dataStart, this.dataEnd);
  }

  #start = 0;

  #bytes(reader: WireReader): number {
    const length = reader.taggedVarint();
    this.#start = reader.at;
    return (reader.at += length);
  }

  #entry(reader: WireReader, key: Buffer): number {
    reader.taggedVarint();
    reader.at += bytesSize(key.length);
    return this.#bytes(reader);
  }
}

function digits(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + ((bytes[at] ?? 48) - 48);
  return value;
}
