/** Calls of the protocol that the official client does not make. */
import { randomUUID } from 'node:crypto';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import protobuf from 'google-protobuf';
import durationPb from 'google-protobuf/google/protobuf/duration_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import timestampPb from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { credentials } from '@grpc/grpc-js';

export const connect = (port: number): StreamsClient =>
  new StreamsClient(`127.0.0.1:${port}`, credentials.createInsecure());

export interface Batch {
  stream?: string;
  ids?: string[];
  metadata?: Record<string, string>;
  deadline?: Date;
  /** The newer form of a deadline, which the client does not support. */
  timeoutMs?: number;
  revision?: bigint;
}

export function batchRequest({
  stream = `s-${randomUUID()}`,
  ids = [randomUUID()],
  metadata,
  deadline,
  timeoutMs,
  revision,
}: Batch): InstanceType<typeof streamsPb.BatchAppendReq> {
  const of = new streamsPb.BatchAppendReq.Options()
    .setStreamIdentifier(new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setAny(new emptyPb.Empty());
  if (revision !== undefined) of.setStreamPosition(String(revision));
  if (deadline) of.setDeadline(timestampPb.Timestamp.fromDate(deadline));
  const messages = ids.map((id) => {
    const message = new streamsPb.BatchAppendReq.ProposedMessage().setId(new sharedPb.UUID().setString(id));
    const entries = metadata ?? { type: 'tested', 'content-type': 'application/octet-stream' };
    for (const [key, value] of Object.entries(entries)) message.getMetadataMap().set(key, value);
    return message;
  });
  const request = new streamsPb.BatchAppendReq()
    .setCorrelationId(new sharedPb.UUID().setString(randomUUID()))
    .setOptions(of)
    .setProposedMessagesList(messages)
    .setIsFinal(true);
  return timeoutMs === undefined ? request : withTimeout(request, timeoutMs);
}

/** Adds an option that the generated code lacks: field 7, a Duration. */
function withTimeout(
  request: InstanceType<typeof streamsPb.BatchAppendReq>,
  timeoutMs: number,
): InstanceType<typeof streamsPb.BatchAppendReq> {
  const duration = new durationPb.Duration()
    .setSeconds(Math.trunc(timeoutMs / 1000))
    .setNanos((timeoutMs % 1000) * 1_000_000);
  const serialize = request.serializeBinary.bind(request);
  request.serializeBinary = () => {
    const options = new protobuf.BinaryWriter();
    options.writeBytes(7, duration.serializeBinary());
    const whole = new protobuf.BinaryWriter();
    const known = request.getOptions()?.serializeBinary() ?? new Uint8Array();
    whole.writeBytes(2, Buffer.concat([known, options.getResultBuffer()]));
    return Buffer.concat([serialize(), whole.getResultBuffer()]);
  };
  return request;
}

/** Sends appends, closes the client's half of the call, and returns the answers. */
export async function batchAppend(
  client: StreamsClient,
  requests: readonly InstanceType<typeof streamsPb.BatchAppendReq>[],
): Promise<BatchAppendResp[]> {
  const call = client.batchAppend();
  const answers: BatchAppendResp[] = [];
  return new Promise((resolve, reject) => {
    call.on('data', (answer: BatchAppendResp) => answers.push(answer));
    call.on('end', () => resolve(answers));
    call.on('error', reject);
    for (const request of requests) call.write(request);
    call.end();
  });
}

/** By default ten events from the beginning of $all. */
export async function read(
  client: StreamsClient,
  change: (options: InstanceType<typeof streamsPb.ReadReq.Options>) => void,
): Promise<ReadResp[]> {
  const of = new streamsPb.ReadReq.Options()
    .setUuidOption(new streamsPb.ReadReq.Options.UUIDOption().setString(new sharedPb.Empty()))
    .setAll(new streamsPb.ReadReq.Options.AllOptions().setStart(new sharedPb.Empty()))
    .setNoFilter(new sharedPb.Empty())
    .setCount('10');
  change(of);
  const call = client.read(new streamsPb.ReadReq().setOptions(of));
  const responses: ReadResp[] = [];
  for await (const response of call) responses.push(response as ReadResp);
  return responses;
}
