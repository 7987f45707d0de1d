/** Translation between the protocol's messages and the store's own terms. */
import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { canonicalEventId, eventIdOfHalves } from '../storage/event-id.js';
import { ANY, NO_STREAM, STREAM_EXISTS, type ExpectedRevision } from '../storage/expected-revision.js';
import type { ProposedEvent } from '../storage/store.js';
import { originalOf } from '../storage/stream-metadata.js';
import { InvalidRequestError } from './status.js';

/** An event as both kinds of append propose it. */
interface ProposedMessage {
  getId(): UUID | undefined;
  getMetadataMap(): { get(key: string): string | undefined };
  getData_asU8(): Uint8Array;
  getCustomMetadata_asU8(): Uint8Array;
}

/** The expectation of an append or deletion; the revision's getter has one of two names. */
interface Expectation {
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
}

/** Bytes that the data of all events of one append may have together. EventStoreDB's default. */
export const MAX_APPEND_SIZE = 1024 * 1024;

/** Revisions are signed 64-bit numbers in the log, unsigned ones in the protocol. */
const MAX_REVISION = 2n ** 63n - 1n;

/** Bytes of a stream name. Each event repeats its stream's name in the log, and error answers carry it in a header. */
export const MAX_STREAM_NAME_LENGTH = 2048;

/** A required property of a proposed event is not there. */
export class MissingMetadataError extends InvalidRequestError {
  constructor(readonly property: string) {
    super(`Required Metadata Property '${property}' is missing`);
  }
}

/** Name of the stream that a request is about; "$$" alone is the metadata stream of no stream. */
export function streamName(identifier: StreamIdentifier | undefined): string {
  const name = Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();
  if (name === '' || name === '$$') throw new InvalidRequestError(`'${name}' is not a stream name`);
  return name;
}

/** Name of a stream to append to or delete: $all is the whole log, and is written through its streams only. */
export function writableStreamName(identifier: StreamIdentifier | undefined): string {
  const name = streamName(identifier);
  if (name === '$all') throw new InvalidRequestError("'$all' cannot be written to");
  // the metadata stream of any stream that can be written to can be written to as well
  const length = Buffer.byteLength(originalOf(name) ?? name);
  if (length > MAX_STREAM_NAME_LENGTH) {
    throw new InvalidRequestError(
      `the stream name has ${length} bytes, at most ${MAX_STREAM_NAME_LENGTH} are allowed`,
    );
  }
  return name;
}

/** @param revision the revision option's text, or undefined if another option is set */
export function expectedRevision(options: Expectation, revision: string | undefined): ExpectedRevision {
  if (revision !== undefined) {
    if (BigInt(revision) > MAX_REVISION)
      throw new InvalidRequestError(`${revision} is no revision that a stream can have`);
    return Number(revision);
  }
  if (options.hasNoStream()) return NO_STREAM;
  if (options.hasAny()) return ANY;
  if (options.hasStreamExists()) return STREAM_EXISTS;
  throw new InvalidRequestError('the expected revision is not set');
}

/** The two messages about a wrong expected revision, which name their revisions differently. */
interface Mismatch<Empty> {
  setCurrentNoStream(empty: Empty): unknown;
  setExpectedAny(empty: Empty): unknown;
  setExpectedStreamExists(empty: Empty): unknown;
  setExpectedNoStream(empty: Empty): unknown;
}

/** Says in a message what was expected of a stream and what is there; answers the revisions that remain to be set. */
export function setMismatch<Empty>(
  message: Mismatch<Empty>,
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

/** What an event counts towards MAX_APPEND_SIZE: its data alone, as in EventStoreDB (Event.SizeOnDisk). */
export function appendSize(event: ProposedEvent): number {
  return event.data.length;
}

/** What an event without contents holds in memory, roughly. */
const EVENT_OVERHEAD = 256;

/** Bytes that an event holds in memory, roughly. */
export function heldSize(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + event.type.length * 2 + EVENT_OVERHEAD;
}
