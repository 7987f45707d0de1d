import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import pb from 'google-protobuf';

/** Wire types of protobuf; the library exports no names for them. */
const VARINT = 0 as pb.BinaryConstants.WireType;
const DELIMITED = 2 as pb.BinaryConstants.WireType;

export interface SentSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: the root of its trace. */
  readonly parentId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface OtlpSink {
  readonly endpoint: string;
  readonly spans: readonly SentSpan[];
  /** Every body received, as it came. */
  readonly bodies: readonly Buffer[];
  /** Answers this status to later requests. */
  answer(status: number): void;
  stop(): Promise<void>;
}

/** A collector that takes OTLP over HTTP, in protobuf (opentelemetry-proto, collector/trace/v1). */
export async function startOtlpSink(): Promise<OtlpSink> {
  const spans: SentSpan[] = [];
  const bodies: Buffer[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const isTraces = request.method === 'POST' && request.url === '/v1/traces';
      if (isTraces && status === 200) {
        bodies.push(body);
        spans.push(...spansIn(body));
      }
      response.writeHead(isTraces ? status : 404, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    answer: (next) => (status = next),
    stop: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Numbers of the fields in opentelemetry/proto/trace/v1/trace.proto. */
function spansIn(body: Uint8Array): SentSpan[] {
  return messages(body, 1).flatMap((resourceSpans) => {
    const [resource] = messages(resourceSpans, 1);
    const service = String(attributesIn(resource, 1)['service.name']);
    return messages(resourceSpans, 2)
      .flatMap((scopeSpans) => messages(scopeSpans, 2))
      .map((span) => ({
        service,
        traceId: hex(span, 1),
        spanId: hex(span, 2),
        parentId: hex(span, 4),
        name: text(messages(span, 5)[0]),
        attributes: attributesIn(span, 9),
      }));
  });
}

function attributesIn(message: Uint8Array | undefined, field: number): Record<string, unknown> {
  return Object.fromEntries(
    messages(message, field).map((pair) => [text(messages(pair, 1)[0]), valueOf(messages(pair, 2)[0])]),
  );
}

/** An AnyValue: a string, an integer, or an array of them. */
function valueOf(any: Uint8Array | undefined): unknown {
  const [string] = messages(any, 1);
  if (string) return text(string);
  const [array] = messages(any, 5);
  if (array) return messages(array, 1).map(valueOf);
  return integer(any, 3);
}

const hex = (message: Uint8Array, field: number): string =>
  Buffer.from(messages(message, field)[0] ?? []).toString('hex');

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('utf8');

/** The length-delimited values of a field. */
function messages(message: Uint8Array | undefined, field: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  eachField(message, (reader) => {
    if (reader.getFieldNumber() !== field || reader.getWireType() !== DELIMITED) return false;
    found.push(reader.readBytes());
    return true;
  });
  return found;
}

function integer(message: Uint8Array | undefined, field: number): number | undefined {
  let found: number | undefined;
  eachField(message, (reader) => {
    if (reader.getFieldNumber() !== field || reader.getWireType() !== VARINT) return false;
    found = reader.readInt64();
    return true;
  });
  return found;
}

function eachField(message: Uint8Array | undefined, read: (reader: pb.BinaryReader) => boolean): void {
  if (!message) return;
  const reader = new pb.BinaryReader(message);
  while (reader.nextField()) if (!read(reader)) reader.skipField();
}
