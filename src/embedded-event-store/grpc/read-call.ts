import type { handleServerStreamingCall } from '@grpc/grpc-js';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { setImmediate } from 'node:timers/promises';
import { AllBackwards, AllForwards } from '../reading/all-events.js';
import { eventFilter } from '../reading/event-filter.js';
import { InvalidPositionError, ordinalAt } from '../reading/positions.js';
import type { Selection } from '../reading/event-cursor.js';
import { firstShown, StreamBackwards, StreamForwards, viewStream } from '../reading/stream-events.js';
import type { Store } from '../storage/store.js';
import type { LiveCalls } from './live-calls.js';
import { StreamWriter } from './stream-writer.js';
import { parseReadRequest, type ReadRequest } from './read-request.js';
import { encode, sendEvents } from './send-events.js';
import { statusOf, streamDeleted, unreadablePosition } from './status.js';
import { subscribe } from './subscription.js';

/** EventStoreDB's page size. It reports the first visible revision when its first page is empty. */
const FIRST_PAGE = 32;

/** Responses are encoded already: the service definition sends them unchanged. */
export function readHandler(store: Store, live: LiveCalls): handleServerStreamingCall<ReadReq, Buffer> {
  return (call) => {
    const outlet = new StreamWriter(call);
    outlet.onClose(live.add((status) => outlet.fail(status)));
    void serve(store, call.request, outlet).catch((error: unknown) => outlet.fail(statusOf(error)));
  };
}

async function serve(store: Store, message: ReadReq, outlet: StreamWriter): Promise<void> {
  const request = parseReadRequest(message);
  if (request.count === undefined) await subscribe(store, request, outlet);
  else if (request.of.kind === 'stream') await readStream(store, request, request.of, request.count, outlet);
  else await readAll(store, request, request.of, request.count, outlet);
  outlet.end();
}

async function readAll(
  store: Store,
  request: ReadRequest,
  of: Extract<ReadRequest['of'], { kind: 'all' }>,
  count: number,
  outlet: StreamWriter,
): Promise<void> {
  try {
    await sendSelection(store, selectAll(store, request, of), count, request, outlet);
  } catch (error) {
    if (!(error instanceof InvalidPositionError)) throw error;
    outlet.fail(unreadablePosition(of.filter !== undefined));
  }
}

async function readStream(
  store: Store,
  request: ReadRequest,
  { stream, from }: Extract<ReadRequest['of'], { kind: 'stream' }>,
  count: number,
  outlet: StreamWriter,
): Promise<void> {
  const view = viewStream(store.index, stream, store.now());
  if (view.kind === 'deleted') return outlet.fail(streamDeleted(stream));
  if (view.kind === 'missing') {
    const identifier = new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream));
    const notFound = new streamsPb.ReadResp.StreamNotFound().setStreamIdentifier(identifier);
    return outlet.send(encode(new streamsPb.ReadResp().setStreamNotFound(notFound)));
  }
  const revision = from === 'end' ? Infinity : from === 'start' ? 0 : from;
  if (request.streamPositions && !request.backwards && from !== 'end') {
    const first = firstShown(store.index, view, revision);
    if (isFarFrom(revision, first, view.last, count)) await outlet.send(firstPosition(first));
  }
  const StreamSelection = request.backwards ? StreamBackwards : StreamForwards;
  const selection = new StreamSelection(store.index, stream, revision, () => store.now());
  await sendSelection(store, selection, count, request, outlet);
  if (request.streamPositions) {
    await outlet.send(encode(new streamsPb.ReadResp().setLastStreamPosition(String(view.last))));
  }
}

function isFarFrom(revision: number, first: number, last: number, count: number): boolean {
  return first !== revision && (first > last || first >= revision + Math.min(count, FIRST_PAGE));
}

function firstPosition(revision: number): Buffer {
  return encode(new streamsPb.ReadResp().setFirstStreamPosition(String(revision)));
}

function selectAll(
  store: Store,
  request: ReadRequest,
  of: Extract<ReadRequest['of'], { kind: 'all' }>,
): Selection {
  const { index } = store;
  const ordinal = of.from === 'start' ? 0 : of.from === 'end' ? index.count : ordinalAt(index, of.from);
  const AllSelection = request.backwards ? AllBackwards : AllForwards;
  return new AllSelection(index, ordinal, of.filter && eventFilter(index, of.filter));
}

async function sendSelection(
  store: Store,
  selection: Selection,
  count: number,
  request: ReadRequest,
  outlet: StreamWriter,
): Promise<void> {
  let left = count;
  while (left > 0 && !outlet.closed) {
    const page = selection.next(left);
    left -= page.ordinals.length;
    await sendEvents(store, page.ordinals, request, outlet);
    if (page.atEnd) return;
    // yields to other calls, even if the filter matches nothing
    if (page.ordinals.length === 0) await setImmediate();
  }
}
