import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { setImmediate } from 'node:timers/promises';
import { AllForwards } from '../reading/all-events.js';
import { eventFilter } from '../reading/event-filter.js';
import { ordinalAfter } from '../reading/positions.js';
import type { EventCursor } from '../reading/event-cursor.js';
import { StreamForwards, viewStream } from '../reading/stream-events.js';
import type { Store } from '../storage/store.js';
import type { StreamWriter } from './stream-writer.js';
import type { ReadRequest } from './read-request.js';
import { encodeResponse, sendEvents } from './send-events.js';
import { streamDeleted } from '../status.js';

/**
 * Serves a catch-up subscription until the client leaves. It is a cursor in the log or in a stream. No queue lies
 * between the log and the client, so a slow client costs one page of memory, however far it is behind.
 */
export async function serveSubscription(
  store: Store,
  request: ReadRequest,
  writer: StreamWriter,
): Promise<void> {
  const commits = new CommitSignal(store, writer);
  const source =
    request.target.kind === 'stream' ? streamSource(store, request.target) : allSource(store, request.target);
  await writer.send(confirmation(store.newId()));
  let caughtUp = false;
  while (!writer.closed) {
    if (source.isDeleted()) return writer.fail(streamDeleted(source.name));
    const page = source.cursor.next(Infinity);
    await sendEvents(store, page.ordinals, request, writer);
    const checkpoint = source.checkpoint();
    if (checkpoint !== undefined) await writer.send(checkpointAt(checkpoint));
    if (!page.atEnd) {
      if (page.ordinals.length === 0) await setImmediate();
    } else if (!caughtUp && source.exists()) {
      caughtUp = true;
      await writer.send(CAUGHT_UP);
    } else if (page.ordinals.length === 0) {
      await commits.next();
    }
  }
}

interface Source {
  name: string;
  cursor: EventCursor;
  isDeleted(): boolean;
  /** False for a stream that has no events: its subscription does not send CaughtUp. */
  exists(): boolean;
  checkpoint(): number | undefined;
}

function streamSource(
  store: Store,
  { stream, from }: Extract<ReadRequest['target'], { kind: 'stream' }>,
): Source {
  const { index } = store;
  const now = (): number => store.now();
  const number = index.streamNumber(stream);
  const end = number === undefined ? 0 : index.countOf(number);
  const revision = from === 'start' ? 0 : from === 'end' ? end : from + 1;
  return {
    name: stream,
    cursor: new StreamForwards(index, stream, revision, now),
    isDeleted: () => viewStream(index, stream, now()).kind === 'deleted',
    exists: () => from === 'end' || viewStream(index, stream, now()).kind !== 'missing',
    checkpoint: () => undefined,
  };
}

function allSource(store: Store, { from, filter }: Extract<ReadRequest['target'], { kind: 'all' }>): Source {
  const { index } = store;
  const ordinal = from === 'start' ? 0 : from === 'end' ? index.count : ordinalAfter(index, from);
  const interval = filter?.checkpointInterval ?? Infinity;
  const cursor = new AllForwards(index, ordinal, filter && eventFilter(index, filter), interval);
  let checkpoints = 0;
  return {
    name: '$all',
    cursor,
    isDeleted: () => false,
    exists: () => true,
    checkpoint: () => {
      const due = Math.floor(cursor.scanned / interval);
      if (due === checkpoints || cursor.last === undefined) return undefined;
      checkpoints = due;
      return index.positionOf(cursor.last);
    },
  };
}

/** Resolves `next` after a commit, even one that came before the call of `next`, since its last result. */
class CommitSignal {
  #committed = false;
  #wake: (() => void) | undefined;

  constructor(store: Store, writer: StreamWriter) {
    const wake = (): void => {
      this.#committed = true;
      this.#wake?.();
    };
    writer.onClose(store.onCommit(wake));
    writer.onClose(wake);
  }

  async next(): Promise<void> {
    if (!this.#committed) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#committed = false;
  }
}

const CAUGHT_UP = encodeResponse(new streamsPb.ReadResp().setCaughtUp(new streamsPb.ReadResp.CaughtUp()));

function confirmation(id: string): Buffer {
  const message = new streamsPb.ReadResp.SubscriptionConfirmation().setSubscriptionId(id);
  return encodeResponse(new streamsPb.ReadResp().setConfirmation(message));
}

function checkpointAt(position: number): Buffer {
  const text = String(position);
  const message = new streamsPb.ReadResp.Checkpoint().setCommitPosition(text).setPreparePosition(text);
  return encodeResponse(new streamsPb.ReadResp().setCheckpoint(message));
}
