import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js';
import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import { setImmediate } from 'node:timers/promises';
import { StoreUnavailableError } from '../errors.js';
import type { ExpectedRevision } from '../storage/expected-revision.js';
import type { AppendResult, ProposedEvent, Store } from '../storage/store.js';
import * as appendError from './append-error.js';
import type { BatchAppendRequest } from './batch-append-request.js';
import type { LiveCalls } from './live-calls.js';
import {
  appendSize,
  expectedRevision,
  memorySize,
  MAX_APPEND_SIZE,
  proposedEvent,
  uuidText,
  writableStreamName,
} from './messages.js';
import { StreamWriter } from './stream-writer.js';
import { callStatusOf, tooManyUnfinished, type CallStatus } from '../status.js';

type BatchCall = ServerDuplexStream<BatchAppendRequest, BatchAppendResp>;

/**
 * Backpressure: a call is no longer read while more bytes than this wait for the disk, or more than MAX_ANSWERS
 * responses wait for the client.
 */
const MAX_BACKLOG = 32 * 1024 * 1024;
const MAX_ANSWERS = 1024;
/**
 * Limits of the incomplete appends of one call, in number and in bytes of memory. Beyond them, an append is refused.
 */
const MAX_UNFINISHED = 1024;
const MAX_UNFINISHED_SIZE = 32 * 1024 * 1024;

/**
 * An append whose requests stay incomplete for so long is answered with a timeout and dropped, whatever deadline its
 * client set. EventStoreDB has such a limit too, 2 s by default.
 */
const MAX_UNFINISHED_MS = 30_000;

interface PartialAppend {
  identifier: StreamIdentifier;
  stream: string;
  expected: ExpectedRevision;
  events: ProposedEvent[];
  size: number;
  memory: number;
  timer?: NodeJS.Timeout;
}

/**
 * Handles the call BatchAppend, which carries many appends. The requests of one append have the same correlation id.
 * Each append gets one response, unless the store becomes unavailable: then the call ends.
 */
export function batchAppendHandler(
  store: Store,
  live: LiveCalls,
): handleBidiStreamingCall<BatchAppendRequest, BatchAppendResp> {
  return (call) => {
    const { writer } = new BatchAppend(store, call);
    writer.onClose(live.add((status) => writer.fail(status)));
  };
}

class BatchAppend {
  readonly writer: StreamWriter;
  readonly #partial = new Map<string, PartialAppend>();
  #unfinishedSize = 0;
  #pending = 0;
  #ended = false;

  constructor(
    private readonly store: Store,
    private readonly call: BatchCall,
  ) {
    this.writer = new StreamWriter(call);
    call.on('data', (request: BatchAppendRequest) => this.#receive(request));
    this.writer.onClose(() => {
      for (const id of this.#partial.keys()) this.#forget(id);
    });
    call.on('end', () => {
      this.#ended = true;
      this.#endIfDone();
    });
  }

  #receive({ request, timeoutMs }: BatchAppendRequest): void {
    const correlation = request.getCorrelationId();
    if (!correlation) return;
    try {
      const append = this.#addRequest(request, timeoutMs, uuidText(correlation));
      if (append && request.getIsFinal()) void this.#append(correlation, append);
    } catch (error) {
      const id = uuidText(correlation);
      const identifier = this.#partial.get(id)?.identifier ?? request.getOptions()?.getStreamIdentifier();
      this.#forget(id);
      this.#respond(correlation, identifier, appendError.batchRefusal(callStatusOf(error)));
    }
  }

  /**
   * Adds a request to its append, and returns the append; undefined: the append is refused here, or was answered
   * before.
   */
  #addRequest(request: BatchAppendReq, timeoutMs: number | undefined, id: string): PartialAppend | undefined {
    const correlation = request.getCorrelationId();
    const options = request.getOptions();
    if (options && !this.#partial.has(id)) this.#partial.set(id, partialAppend(options));
    const append = this.#partial.get(id);
    if (!append) return undefined;
    const remainingMs =
      timeoutMs ?? (options?.getDeadline()?.toDate().getTime() ?? Infinity) - this.store.now();
    for (const event of request.getProposedMessagesList().map(proposedEvent)) {
      append.events.push(event);
      append.size += appendSize(event);
      append.memory += memorySize(event);
      this.#unfinishedSize += memorySize(event);
    }
    const isFinal = request.getIsFinal();
    const refusal = this.#refusal(append, remainingMs, isFinal);
    if (refusal || isFinal) this.#forget(id);
    else if (options) this.#startTimer(append, correlation, Math.min(remainingMs, MAX_UNFINISHED_MS));
    if (!refusal) return append;
    this.#respond(correlation, append.identifier, refusal);
    return undefined;
  }

  #refusal({ size }: PartialAppend, remainingMs: number, isFinal: boolean): BatchAppendResp | undefined {
    if (remainingMs <= 0) return appendError.batchTimeout();
    if (size > MAX_APPEND_SIZE) return appendError.maximumAppendSizeExceeded(MAX_APPEND_SIZE);
    const isOverLimit = this.#partial.size > MAX_UNFINISHED || this.#unfinishedSize > MAX_UNFINISHED_SIZE;
    return isOverLimit && !isFinal ? appendError.batchRefusal(tooManyUnfinished()) : undefined;
  }

  #startTimer(append: PartialAppend, correlation: UUID | undefined, ms: number): void {
    clearTimeout(append.timer);
    append.timer = setTimeout(() => {
      if (correlation) this.#forget(uuidText(correlation));
      this.#respond(correlation, append.identifier, appendError.batchTimeout());
    }, ms);
  }

  #forget(id: string): void {
    const append = this.#partial.get(id);
    if (!append) return;
    clearTimeout(append.timer);
    this.#partial.delete(id);
    this.#unfinishedSize -= append.memory;
  }

  async #append(correlation: UUID, { identifier, stream, expected, events }: PartialAppend): Promise<void> {
    this.#pending++;
    try {
      const appending = this.store.append(stream, expected, events);
      const isOverloaded = this.store.backlog > MAX_BACKLOG || this.writer.pendingMessages > MAX_ANSWERS;
      if (isOverloaded && !this.call.isPaused()) void this.#pauseUntil(appending);
      this.#respond(correlation, identifier, responseTo(await appending, identifier, expected));
    } catch (error) {
      const status = callStatusOf(error);
      if (error instanceof StoreUnavailableError) await this.#endUnavailable(status);
      else this.#respond(correlation, identifier, appendError.batchRefusal(status));
    }
    this.#pending--;
    this.#endIfDone();
  }

  async #pauseUntil(appending: Promise<unknown>): Promise<void> {
    this.call.pause();
    await Promise.allSettled([appending]);
    await this.writer.drained();
    this.call.resume();
  }

  /**
   * Ends the call because the store became unavailable. Only that tells the client that the outcome of an append is
   * unknown: no response to a single append does. Appends that are durable already get their responses first.
   */
  async #endUnavailable(status: CallStatus): Promise<void> {
    await this.store.refuseAppends();
    await setImmediate();
    this.writer.fail(status);
  }

  #respond(
    correlation: UUID | undefined,
    identifier: StreamIdentifier | undefined,
    response: BatchAppendResp,
  ): void {
    response.setCorrelationId(correlation).setStreamIdentifier(identifier);
    this.writer.push(response);
  }

  #endIfDone(): void {
    if (this.#ended && this.#pending === 0) this.writer.end();
  }
}

function partialAppend(options: BatchAppendReq.Options): PartialAppend {
  const stream = writableStreamName(options.getStreamIdentifier());
  const revision = options.hasStreamPosition() ? options.getStreamPosition() : undefined;
  return {
    identifier: new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream)),
    stream,
    expected: expectedRevision(options, revision),
    events: [],
    size: 0,
    memory: 0,
  };
}

function responseTo(
  result: AppendResult,
  identifier: StreamIdentifier,
  expected: ExpectedRevision,
): BatchAppendResp {
  if (result.kind === 'deleted') return appendError.streamDeleted(identifier);
  if (result.kind === 'wrong-expected-revision')
    return appendError.wrongExpectedVersion(result.current, expected);
  const success = new streamsPb.BatchAppendResp.Success();
  if (result.revision < 0) success.setNoStream(new emptyPb.Empty());
  else success.setCurrentRevision(String(result.revision));
  if (result.position === undefined) success.setNoPosition(new emptyPb.Empty());
  else {
    const position = String(result.position);
    success.setPosition(
      new sharedPb.AllStreamPosition().setCommitPosition(position).setPreparePosition(position),
    );
  }
  return new streamsPb.BatchAppendResp().setSuccess(success);
}
