/** Refusals of EventStoreDB that the embedded store never makes, for {@link startInterceptingProxy}. */
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { Metadata, status } from '@grpc/grpc-js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import type { Intercept } from './intercepting-proxy.js';

/** For a user without the right to read $all. */
export const denyReadsOfAll: Intercept = (method, message) => {
  if (method !== 'Read') return undefined;
  if (!streamsPb.ReadReq.deserializeBinary(message).getOptions()?.hasAll()) return undefined;
  const metadata = new Metadata();
  metadata.set('exception', 'access-denied');
  return { error: { code: status.PERMISSION_DENIED, details: 'Access Denied', metadata } };
};

/** For a user without the right to write. */
export const denyAppends: Intercept = (method, message) =>
  method === 'BatchAppend'
    ? { answer: refusalOf(message, status.PERMISSION_DENIED, 'AccessDenied', new sharedPb.AccessDenied()) }
    : undefined;

/**
 * Like a server with this `--max-append-size`. Newer versions count data, metadata and type, and check the size before the
 * expected revision (Streams.BatchAppend.cs of EventStoreDB 24.10).
 */
export const limitAppendSize = (limit: number): Intercept =>
  refuseAbove(
    limit,
    'MaximumAppendSizeExceeded',
    new sharedPb.MaximumAppendSizeExceeded().setMaxappendsize(limit),
  );

/** Like KurrentDB with this `--max-append-event-size`, whose error message the client does not know. */
export const limitEventSize = (limit: number): Intercept =>
  refuseAbove(limit, 'MaximumAppendEventSizeExceeded', new sharedPb.Empty());

const refuseAbove =
  (limit: number, type: string, details: Details): Intercept =>
  (method, message) =>
    method === 'BatchAppend' && sizeOf(message) > limit
      ? { answer: refusalOf(message, status.INVALID_ARGUMENT, type, details) }
      : undefined;

/** Size of an append in one message, in bytes. */
export function sizeOf(message: Uint8Array): number {
  const events = streamsPb.BatchAppendReq.deserializeBinary(message).getProposedMessagesList();
  return events.reduce(
    (sum, event) =>
      sum +
      event.getData_asU8().length +
      event.getCustomMetadata_asU8().length +
      2 * (event.getMetadataMap().get('type') ?? '').length,
    0,
  );
}

interface Details {
  serializeBinary(): Uint8Array;
}

function refusalOf(message: Buffer, code: status, type: string, details: Details): Uint8Array {
  const request = streamsPb.BatchAppendReq.deserializeBinary(message);
  const any = new anyPb.Any();
  any.pack(details.serializeBinary(), `event_store.client.${type}`);
  const error = new statusPb.Status()
    .setCode(code as number)
    .setMessage(type)
    .setDetails(any);
  return new streamsPb.BatchAppendResp()
    .setCorrelationId(request.getCorrelationId())
    .setStreamIdentifier(request.getOptions()?.getStreamIdentifier())
    .setError(error)
    .serializeBinary();
}
