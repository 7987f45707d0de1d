import type { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import protobuf from 'google-protobuf';
import durationPb from 'google-protobuf/google/protobuf/duration_pb.js';

export interface BatchAppendRequest {
  request: BatchAppendReq;
  /**
   * The option `deadline` of the request in milliseconds, a duration. It takes precedence over an older option, a
   * point in time.
   */
  timeoutMs: number | undefined;
}

/**
 * Field numbers in the definition of the protocol:
 * https://github.com/EventStore/EventStore/blob/release/oss-v23.10/src/Protos/Grpc/streams.proto
 */
const OPTIONS = 2;
const DEADLINE = 7;

export function decodeBatchAppendRequest(bytes: Buffer): BatchAppendRequest {
  const request = streamsPb.BatchAppendReq.deserializeBinary(bytes);
  const options = request.hasOptions() ? lastBytesField(bytes, OPTIONS) : undefined;
  const deadline = options && lastBytesField(options, DEADLINE);
  return { request, timeoutMs: deadline && milliseconds(deadline) };
}

function milliseconds(bytes: Uint8Array): number {
  const duration = durationPb.Duration.deserializeBinary(bytes);
  return duration.getSeconds() * 1000 + duration.getNanos() / 1_000_000;
}

function lastBytesField(message: Uint8Array, number: number): Uint8Array | undefined {
  const reader = new protobuf.BinaryReader(message);
  let value: Uint8Array | undefined;
  while (reader.nextField()) {
    if (reader.getFieldNumber() === number) value = reader.readBytes();
    else reader.skipField();
  }
  return value;
}
