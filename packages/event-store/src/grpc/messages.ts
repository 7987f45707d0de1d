import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { canonicalEventId, eventIdOfHalves } from '../storage/event-id.js';
import { ANY, NO_STREAM, STREAM_EXISTS, type ExpectedRevision } from '../storage/expected-revision.js';
import type { ProposedEvent } from '../storage/store.js';
import { originalStreamOf } from '../storage/stream-metadata.js';
import { InvalidRequestError } from '../status.js';

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

/** Most bytes of event data in one append, as by default in EventStoreDB. A larger append is refused. */
export const MAX_APPEND_SIZE = 1024 * 1024;

/** Largest revision: the log stores revisions as signed 64-bit numbers, the protocol sends unsigned ones. */
const MAX_REVISION = 2n ** 63n - 1n;

/** Most bytes of a stream name: each event repeats it in the log, and error responses have it in a header. */
export const MAX_STREAM_NAME_LENGTH = 2048;

export class MissingMetadataError extends InvalidRequestError {
  constructor(readonly property: string) {
    super(`Required Metadata Property '${property}' is missing`);
  }
}

export function streamName(identifier: StreamIdentifier | undefined): string {
  const name = Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();
  if (name === '' || name === '$$')
    throw new InvalidRequestError(`the request was refused: '${name}' is not a stream name`);
  return name;
}

/**
 * Returns the name of the stream that a client wants to write to. $all is refused, since it can only be read.
 * @throws {InvalidRequestError}
 */
export function writableStreamName(identifier: StreamIdentifier | undefined): string {
  const name = streamName(identifier);
  if (name === '$all')
    throw new InvalidRequestError("nothing was written: '$all' cannot be written to, only streams can");
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
    if (BigInt(revision) > MAX_REVISION)
      throw new InvalidRequestError(
        `nothing was written: the expected revision ${revision} is not a valid revision, at most 2^63 - 1`,
      );
    return Number(revision);
  }
  if (options.hasNoStream()) return NO_STREAM;
  if (options.hasAny()) return ANY;
  if (options.hasStreamExists()) return STREAM_EXISTS;
  throw new InvalidRequestError(
    'nothing was written: the request does not say which revision it expects, not even any',
  );
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
  if (eventId === undefined)
    throw new InvalidRequestError('the append was refused: the event id is not a UUID, or is the empty UUID');
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

/**
 * Bytes of an event that count towards MAX_APPEND_SIZE: those of its data alone, as in EventStoreDB
 * (Event.SizeOnDisk).
 */
export function appendSize(event: ProposedEvent): number {
  return event.data.length;
}

const EVENT_OVERHEAD = 256;

export function memorySize(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + event.type.length * 2 + EVENT_OVERHEAD;
}
