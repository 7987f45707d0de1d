import type { handleClientStreamingCall, sendUnaryData } from '@grpc/grpc-js';
import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { AppendTooLargeError } from '../errors.js';
import type { ExpectedRevision } from '../storage/expected-revision.js';
import type { AppendResult, ProposedEvent, Store } from '../storage/store.js';
import type { LiveCalls } from './live-calls.js';
import {
  appendSize,
  expectedRevision,
  memorySize,
  MAX_APPEND_SIZE,
  MissingMetadataError,
  proposedEvent,
  setSharedRevisions,
  writableStreamName,
} from './messages.js';
import {
  InvalidRequestError,
  maximumAppendSizeExceeded,
  missingMetadata,
  callStatusOf,
  streamDeleted,
  type CallStatus,
} from '../status.js';

const MAX_MEMORY = 64 * 1024 * 1024;

export function appendHandler(
  store: Store,
  live: LiveCalls,
): handleClientStreamingCall<AppendReq, AppendResp> {
  return (call, callback) => {
    const append = new ClassicAppend(store, (...answer) => {
      unregister();
      callback(...answer);
    });
    const unregister = live.add((status) => append.fail(status));
    call.once('cancelled', unregister);
    call.on('data', (request: AppendReq) => append.receive(request));
    call.on('end', () => void append.finish());
  };
}

class ClassicAppend {
  #options: { stream: string; expected: ExpectedRevision } | undefined;
  readonly #events: ProposedEvent[] = [];
  #size = 0;
  #memory = 0;
  #answered = false;

  constructor(
    private readonly store: Store,
    private readonly callback: sendUnaryData<AppendResp>,
  ) {}

  receive(request: AppendReq): void {
    if (this.#answered) return;
    try {
      const options = request.getOptions();
      const message = request.getProposedMessage();
      if (options) {
        const revision = options.hasRevision() ? options.getRevision() : undefined;
        this.#options = {
          stream: writableStreamName(options.getStreamIdentifier()),
          expected: expectedRevision(options, revision),
        };
      } else if (message) {
        const event = proposedEvent(message);
        this.#size += appendSize(event);
        this.#memory += memorySize(event);
        if (this.#size > MAX_APPEND_SIZE) return this.fail(maximumAppendSizeExceeded(MAX_APPEND_SIZE));
        if (this.#memory > MAX_MEMORY) throw new AppendTooLargeError(this.#memory, MAX_MEMORY);
        this.#events.push(event);
      }
    } catch (error) {
      this.fail(
        error instanceof MissingMetadataError ? missingMetadata(error.property) : callStatusOf(error),
      );
    }
  }

  async finish(): Promise<void> {
    if (this.#answered) return;
    try {
      if (!this.#options)
        throw new InvalidRequestError(
          'the append was refused: its request has no options with stream and expected revision',
        );
      const { stream, expected } = this.#options;
      const result = await this.store.append(stream, expected, this.#events);
      if (result.kind === 'deleted') this.fail(streamDeleted(stream));
      else this.callback(null, response(result, expected));
    } catch (error) {
      this.fail(callStatusOf(error));
    }
  }

  fail(status: CallStatus): void {
    this.#answered = true;
    this.callback(status);
  }
}

function response(
  result: Exclude<AppendResult, { kind: 'deleted' }>,
  expected: ExpectedRevision,
): AppendResp {
  return result.kind === 'appended'
    ? new streamsPb.AppendResp().setSuccess(success(result))
    : new streamsPb.AppendResp().setWrongExpectedVersion(wrongExpectedVersion(result.current, expected));
}

function success(result: Extract<AppendResult, { kind: 'appended' }>): AppendResp.Success {
  const success = new streamsPb.AppendResp.Success();
  if (result.revision < 0) success.setNoStream(new sharedPb.Empty());
  else success.setCurrentRevision(String(result.revision));
  if (result.position === undefined) return success.setNoPosition(new sharedPb.Empty());
  const position = String(result.position);
  return success.setPosition(
    new streamsPb.AppendResp.Position().setCommitPosition(position).setPreparePosition(position),
  );
}

function wrongExpectedVersion(current: number, expected: ExpectedRevision): AppendResp.WrongExpectedVersion {
  const wrong = new streamsPb.AppendResp.WrongExpectedVersion();
  const { currentRevision, expectedRevision } = setSharedRevisions(
    wrong,
    new sharedPb.Empty(),
    current,
    expected,
  );
  if (currentRevision !== undefined) wrong.setCurrentRevision(currentRevision);
  if (expectedRevision !== undefined) wrong.setExpectedRevision(expectedRevision);
  return wrong;
}
