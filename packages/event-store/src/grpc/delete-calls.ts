import type { handleUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import type {
  DeleteReq,
  DeleteResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { ExpectedRevision } from '../storage/expected-revision.js';
import type { AppendResult, Store } from '../storage/store.js';
import { expectedRevision, writableStreamName } from './messages.js';
import { InvalidRequestError, callStatusOf, streamDeleted, wrongExpectedVersion } from '../status.js';

/** Handles the call Delete: hides the events of a stream. A later append can use the name again. */
export function deleteHandler(store: Store): handleUnaryCall<DeleteReq, DeleteResp> {
  const respond = (at: string): DeleteResp =>
    new streamsPb.DeleteResp().setPosition(
      new streamsPb.DeleteResp.Position().setCommitPosition(at).setPreparePosition(at),
    );
  return ({ request }, callback) =>
    void remove(request, (stream, expected) => store.deleteStream(stream, expected), respond, callback);
}

/** Handles the call Tombstone: deletes a stream for good. Its name can never be used again. */
export function tombstoneHandler(store: Store): handleUnaryCall<TombstoneReq, TombstoneResp> {
  const respond = (at: string): TombstoneResp =>
    new streamsPb.TombstoneResp().setPosition(
      new streamsPb.TombstoneResp.Position().setCommitPosition(at).setPreparePosition(at),
    );
  return ({ request }, callback) =>
    void remove(request, (stream, expected) => store.tombstoneStream(stream, expected), respond, callback);
}

async function remove<R>(
  request: DeleteReq | TombstoneReq,
  deletion: (stream: string, expected: ExpectedRevision) => Promise<AppendResult>,
  respond: (position: string) => R,
  callback: sendUnaryData<R>,
): Promise<void> {
  try {
    const options = request.getOptions();
    if (!options)
      throw new InvalidRequestError(
        'nothing was deleted: the request has no options with stream and expected revision',
      );
    const stream = writableStreamName(options.getStreamIdentifier());
    const expected = expectedRevision(options, options.hasRevision() ? options.getRevision() : undefined);
    const result = await deletion(stream, expected);
    if (result.kind === 'deleted') callback(streamDeleted(stream));
    else if (result.kind === 'wrong-expected-revision') {
      callback(wrongExpectedVersion(stream, expected, result.current));
    } else callback(null, respond(String(result.position)));
  } catch (error) {
    callback(callStatusOf(error));
  }
}
