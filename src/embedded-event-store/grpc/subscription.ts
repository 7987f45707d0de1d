import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { setImmediate } from 'node:timers/promises';
import { AllForwards } from '../reading/all-events.js';
import { eventFilter } from '../reading/event-filter.js';
import { ordinalBehind } from '../reading/positions.js';
import type { Selection } from '../reading/event-cursor.js';
import { StreamForwards, viewStream } from '../reading/stream-events.js';
import type { Store } from '../storage/store.js';
import type { StreamWriter } from './stream-writer.js';
import type { ReadRequest } from './read-request.js';
import { encode, sendEvents } from './send-events.js';
import { streamDeleted } from './status.js';

/**
 * A catch-up subscription is a cursor in the log or in a stream. There is no queue between the log and the client, so
 * a slow client costs one page of memory, however far behind.
 */
export async function subscribe(store: Store, request: ReadRequest, outlet: StreamWriter): Promise<void> {
  const commits = new CommitSignal(store, outlet);
  const source =
    request.of.kind === 'stream' ? streamSource(store, request.of) : allSource(store, request.of);
  await outlet.send(confirmation(store.newId()));
  let caughtUp = false;
  while (!outlet.closed) {
    if (source.isDeleted()) return outlet.fail(streamDeleted(source.name));
    const page = source.selection.next(Infinity);
    await sendEvents(store, page.ordinals, request, outlet);
    const checkpoint = source.checkpoint();
    if (checkpoint !== undefined) await outlet.send(checkpointAt(checkpoint));
    if (!page.atEnd) {
      if (page.ordinals.length === 0) await setImmediate();
    } else if (!caughtUp && source.exists()) {
      caughtUp = true;
      await outlet.send(CAUGHT_UP);
    } else if (page.ordinals.length === 0) {
      await commits.next();
    }
  }
}

interface Source {
  name: string;
  selection: Selection;
  isDeleted(): boolean;
  /** False for a stream without events, which sends no CaughtUp. */
  exists(): boolean;
  checkpoint(): number | undefined;
}

function streamSource(
  store: Store,
  { stream, from }: Extract<ReadRequest['of'], { kind: 'stream' }>,
): Source {
  const { index } = store;
  const now = (): number => store.now();
  const number = index.streamNumber(stream);
  const end = number === undefined ? 0 : index.countOf(number);
  const revision = from === 'start' ? 0 : from === 'end' ? end : from + 1;
  return {
    name: stream,
    selection: new StreamForwards(index, stream, revision, now),
    isDeleted: () => viewStream(index, stream, now()).kind === 'deleted',
    exists: () => from === 'end' || viewStream(index, stream, now()).kind !== 'missing',
    checkpoint: () => undefined,
  };
}

function allSource(store: Store, { from, filter }: Extract<ReadRequest['of'], { kind: 'all' }>): Source {
  const { index } = store;
  const ordinal = from === 'start' ? 0 : from === 'end' ? index.count : ordinalBehind(index, from);
  const interval = filter?.checkpointInterval ?? Infinity;
  const selection = new AllForwards(index, ordinal, filter && eventFilter(index, filter), interval);
  let checkpoints = 0;
  return {
    name: '$all',
    selection,
    isDeleted: () => false,
    exists: () => true,
    checkpoint: () => {
      const due = Math.floor(selection.considered / interval);
      if (due === checkpoints || selection.last === undefined) return undefined;
      checkpoints = due;
      return index.positionOf(selection.last);
    },
  };
}

/** Never misses a commit between two calls of `next`. */
class CommitSignal {
  #committed = false;
  #wake: (() => void) | undefined;

  constructor(store: Store, outlet: StreamWriter) {
    const wake = (): void => {
      this.#committed = true;
      this.#wake?.();
    };
    outlet.onClose(store.onCommit(wake));
    outlet.onClose(wake);
  }

  async next(): Promise<void> {
    if (!this.#committed) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#committed = false;
  }
}

const CAUGHT_UP = encode(new streamsPb.ReadResp().setCaughtUp(new streamsPb.ReadResp.CaughtUp()));

function confirmation(id: string): Buffer {
  const message = new streamsPb.ReadResp.SubscriptionConfirmation().setSubscriptionId(id);
  return encode(new streamsPb.ReadResp().setConfirmation(message));
}

function checkpointAt(position: number): Buffer {
  const text = String(position);
  const message = new streamsPb.ReadResp.Checkpoint().setCommitPosition(text).setPreparePosition(text);
  return encode(new streamsPb.ReadResp().setCheckpoint(message));
}
