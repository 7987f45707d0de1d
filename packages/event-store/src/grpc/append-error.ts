/** Errors of BatchAppend: a Status whose details are one of the protocol's messages. */
import { status as code } from '@grpc/grpc-js';
import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import type { CallStatus } from '../status.js';
import type { ExpectedRevision } from '../storage/expected-revision.js';
import { setSharedRevisions } from './messages.js';

interface Details {
  serializeBinary(): Uint8Array;
}

export function wrongExpectedVersion(current: number, expected: ExpectedRevision): BatchAppendResp {
  const details = new sharedPb.WrongExpectedVersion();
  const { currentRevision, expectedRevision } = setSharedRevisions(
    details,
    new emptyPb.Empty(),
    current,
    expected,
  );
  if (currentRevision !== undefined) details.setCurrentStreamRevision(currentRevision);
  if (expectedRevision !== undefined) details.setExpectedStreamPosition(expectedRevision);
  return failure(code.ALREADY_EXISTS, 'WrongExpectedVersion', details);
}

export function streamDeleted(identifier: StreamIdentifier): BatchAppendResp {
  return failure(
    code.FAILED_PRECONDITION,
    'StreamDeleted',
    new sharedPb.StreamDeleted().setStreamIdentifier(identifier),
  );
}

export function maximumAppendSizeExceeded(limit: number): BatchAppendResp {
  const details = new sharedPb.MaximumAppendSizeExceeded().setMaxappendsize(limit);
  return failure(code.INVALID_ARGUMENT, 'MaximumAppendSizeExceeded', details);
}

export function batchTimeout(): BatchAppendResp {
  return failure(code.DEADLINE_EXCEEDED, 'Timeout', new sharedPb.Timeout());
}

export function batchRefusal({ code: reason, details }: CallStatus): BatchAppendResp {
  return failure(reason, 'BadRequest', new sharedPb.BadRequest().setMessage(details), details);
}

function failure(reason: code, type: string, details: Details, message = type): BatchAppendResp {
  const any = new anyPb.Any();
  any.pack(details.serializeBinary(), `event_store.client.${type}`);
  const status = new statusPb.Status()
    .setCode(reason as number)
    .setMessage(message)
    .setDetails(any);
  return new streamsPb.BatchAppendResp().setError(status);
}
