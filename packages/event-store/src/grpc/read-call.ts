import type { handleServerStreamingCall } from '@grpc/grpc-js';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { setImmediate } from 'node:timers/promises';
import { AllBackwards, AllForwards } from '../reading/all-events.js';
import { eventFilter } from '../reading/event-filter.js';
import { InvalidPositionError, ordinalAt } from '../reading/positions.js';
import type { EventCursor } from '../reading/event-cursor.js';
import {
  firstVisibleRevision,
  StreamBackwards,
  StreamForwards,
  viewStream,
} from '../reading/stream-events.js';
import type { Store } from '../storage/store.js';
import type { LiveCalls } from './live-calls.js';
import { StreamWriter } from './stream-writer.js';
import { parseReadRequest, type ReadRequest } from './read-request.js';
import { encodeResponse, sendEvents } from './send-events.js';
import { callStatusOf, streamDeleted, unreadablePosition } from '../status.js';
import { serveSubscription } from './subscription.js';

/**
 * Events in a page of EventStoreDB. It tells the first visible revision of a stream if the first page of a read has
 * no visible event.
 */
const FIRST_PAGE = 32;

/** Handles the call Read. Responses are encoded here: the service definition sends the bytes unchanged. */
export function readHandler(store: Store, live: LiveCalls): handleServerStreamingCall<ReadReq, Buffer> {
  return (call) => {
    const writer = new StreamWriter(call);
    writer.onClose(live.add((status) => writer.fail(status)));
    void serve(store, call.request, writer).catch((error: unknown) => writer.fail(callStatusOf(error)));
  };
}

async function serve(store: Store, message: ReadReq, writer: StreamWriter): Promise<void> {
  const request = parseReadRequest(message);
  if (request.count === undefined) await serveSubscription(store, request, writer);
  else if (request.target.kind === 'stream')
    await readStream(store, request, request.target, request.count, writer);
  else await readAll(store, request, request.target, request.count, writer);
  writer.end();
}

async function readAll(
  store: Store,
  request: ReadRequest,
  target: Extract<ReadRequest['target'], { kind: 'all' }>,
  count: number,
  writer: StreamWriter,
): Promise<void> {
  try {
    await sendPages(store, allCursor(store, request, target), count, request, writer);
  } catch (error) {
    if (!(error instanceof InvalidPositionError)) throw error;
    writer.fail(unreadablePosition(target.filter !== undefined));
  }
}

async function readStream(
  store: Store,
  request: ReadRequest,
  { stream, from }: Extract<ReadRequest['target'], { kind: 'stream' }>,
  count: number,
  writer: StreamWriter,
): Promise<void> {
  const view = viewStream(store.index, stream, store.now());
  if (view.kind === 'deleted') return writer.fail(streamDeleted(stream));
  if (view.kind === 'missing') {
    const identifier = new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream));
    const notFound = new streamsPb.ReadResp.StreamNotFound().setStreamIdentifier(identifier);
    return writer.send(encodeResponse(new streamsPb.ReadResp().setStreamNotFound(notFound)));
  }
  const revision = from === 'end' ? Infinity : from === 'start' ? 0 : from;
  if (request.streamPositions && !request.backwards && from !== 'end') {
    const first = firstVisibleRevision(store.index, view, revision);
    if (isFirstPageEmpty(revision, first, view.last, count)) await writer.send(firstPosition(first));
  }
  const StreamCursor = request.backwards ? StreamBackwards : StreamForwards;
  const cursor = new StreamCursor(store.index, stream, revision, () => store.now());
  await sendPages(store, cursor, count, request, writer);
  if (request.streamPositions) {
    await writer.send(encodeResponse(new streamsPb.ReadResp().setLastStreamPosition(String(view.last))));
  }
}

function isFirstPageEmpty(revision: number, first: number, last: number, count: number): boolean {
  return first !== revision && (first > last || first >= revision + Math.min(count, FIRST_PAGE));
}

function firstPosition(revision: number): Buffer {
  return encodeResponse(new streamsPb.ReadResp().setFirstStreamPosition(String(revision)));
}

function allCursor(
  store: Store,
  request: ReadRequest,
  target: Extract<ReadRequest['target'], { kind: 'all' }>,
): EventCursor {
  const { index } = store;
  const ordinal =
    target.from === 'start' ? 0 : target.from === 'end' ? index.count : ordinalAt(index, target.from);
  const AllCursor = request.backwards ? AllBackwards : AllForwards;
  return new AllCursor(index, ordinal, target.filter && eventFilter(index, target.filter));
}

async function sendPages(
  store: Store,
  cursor: EventCursor,
  count: number,
  request: ReadRequest,
  writer: StreamWriter,
): Promise<void> {
  let left = count;
  while (left > 0 && !writer.closed) {
    const page = cursor.next(left);
    left -= page.ordinals.length;
    await sendEvents(store, page.ordinals, request, writer);
    if (page.atEnd) return;
    // yields to other calls, even if the filter matches nothing
    if (page.ordinals.length === 0) await setImmediate();
  }
}
