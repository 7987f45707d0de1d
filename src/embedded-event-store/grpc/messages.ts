import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { canonicalEventId, eventIdOfHalves } from '../storage/event-id.js';
import { ANY, NO_STREAM, STREAM_EXISTS, type ExpectedRevision } from '../storage/expected-revision.js';
import type { ProposedEvent } from '../storage/store.js';
import { originalStreamOf } from '../storage/stream-metadata.js';
import { InvalidRequestError } from './status.js';

interface ProposedMessage {
  getId(): UUID | undefined;
  getMetadataMap(): { get(key: string): string | undefined };
  getData_asU8(): Uint8Array;
  getCustomMetadata_asU8(): Uint8Array;
}

interface RevisionOptions {
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
}

/** Bytes of an append's event data; EventStoreDB's default. */
export const MAX_APPEND_SIZE = 1024 * 1024;

/** Revisions are signed 64-bit numbers in the log, unsigned ones in the protocol. */
const MAX_REVISION = 2n ** 63n - 1n;

/** Each event repeats its stream's name in the log, and error responses have it in a header. */
export const MAX_STREAM_NAME_LENGTH = 2048;

export class MissingMetadataError extends InvalidRequestError {
  constructor(readonly property: string) {
    super(`Required Metadata Property '${property}' is missing`);
  }
}

export function streamName(identifier: StreamIdentifier | undefined): string {
  const name = Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();
  if (name === '' || name === '$$') throw new InvalidRequestError(`'${name}' is not a stream name`);
  return name;
}

/**
 * $all is read-only: clients write to streams.
 * @throws {InvalidRequestError}
 */
export function writableStreamName(identifier: StreamIdentifier | undefined): string {
  const name = streamName(identifier);
  if (name === '$all') throw new InvalidRequestError("'$all' cannot be written to");
  // the limit holds for the stream, so that its metadata stream is writable too
  const length = Buffer.byteLength(originalStreamOf(name) ?? name);
  if (length > MAX_STREAM_NAME_LENGTH) {
    throw new InvalidRequestError(
      `the stream name has ${length} bytes, at most ${MAX_STREAM_NAME_LENGTH} are allowed`,
    );
  }
  return name;
}

export function expectedRevision(options: RevisionOptions, revision: string | undefined): ExpectedRevision {
  if (revision !== undefined) {
    if (BigInt(revision) > MAX_REVISION) throw new InvalidRequestError(`${revision} is not a valid revision`);
    return Number(revision);
  }
  if (options.hasNoStream()) return NO_STREAM;
  if (options.hasAny()) return ANY;
  if (options.hasStreamExists()) return STREAM_EXISTS;
  throw new InvalidRequestError('the expected revision is not set');
}

interface WrongRevisionMessage<Empty> {
  setCurrentNoStream(empty: Empty): unknown;
  setExpectedAny(empty: Empty): unknown;
  setExpectedStreamExists(empty: Empty): unknown;
  setExpectedNoStream(empty: Empty): unknown;
}

export function setSharedRevisions<Empty>(
  message: WrongRevisionMessage<Empty>,
  empty: Empty,
  current: number,
  expected: ExpectedRevision,
): { currentRevision?: string; expectedRevision?: string } {
  if (current < 0) message.setCurrentNoStream(empty);
  if (expected === ANY) message.setExpectedAny(empty);
  if (expected === STREAM_EXISTS) message.setExpectedStreamExists(empty);
  if (expected === NO_STREAM) message.setExpectedNoStream(empty);
  return {
    ...(current < 0 ? {} : { currentRevision: String(current) }),
    ...(expected < 0 ? {} : { expectedRevision: String(expected) }),
  };
}

export function proposedEvent(message: ProposedMessage): ProposedEvent {
  const metadata = message.getMetadataMap();
  const type = metadata.get('type');
  const contentType = metadata.get('content-type');
  if (!type) throw new MissingMetadataError('type');
  if (contentType === undefined) throw new MissingMetadataError('content-type');
  const id = message.getId();
  const eventId = id && canonicalEventId(uuidText(id));
  if (eventId === undefined) throw new InvalidRequestError('the event id is not a UUID, or is the empty one');
  return {
    id: eventId,
    type,
    isJson: contentType === 'application/json',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

export function uuidText(uuid: UUID): string {
  const halves = uuid.getStructured();
  return halves
    ? eventIdOfHalves(BigInt(halves.getMostSignificantBits()), BigInt(halves.getLeastSignificantBits()))
    : uuid.getString();
}

/** Counts towards MAX_APPEND_SIZE: the data alone, as in EventStoreDB (Event.SizeOnDisk). */
export function appendSize(event: ProposedEvent): number {
  return event.data.length;
}

const EVENT_OVERHEAD = 256;

export function memorySize(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + event.type.length * 2 + EVENT_OVERHEAD;
}
