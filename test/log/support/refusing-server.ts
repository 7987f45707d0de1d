import { StreamsClient, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServerWritableStream, status } from '@grpc/grpc-js';

export interface ReadServer {
  readonly url: string;
  close(): void;
}

export interface RefusingServer extends ReadServer {
  /** The peer of each rejected read of $all from a position. */
  refused(): readonly string[];
}

/**
 * A proxy of an event store that rejects reads of $all from a position with the status that `refusal` returns, if
 * any. EventStoreDB does so for a position in the middle of a record.
 */
export async function startRefusingServer(
  storePort: number,
  refusal: () => { readonly code: status; readonly details: string } | undefined,
): Promise<RefusingServer> {
  const refused: string[] = [];
  const server = await startReadServer(storePort, (call) => {
    const isFromPosition = call.request.getOptions()?.getAll()?.hasPosition() === true;
    const error = isFromPosition ? refusal() : undefined;
    if (!error) return false;
    refused.push(call.getPeer());
    call.emit('error', error);
    return true;
  });
  return { ...server, refused: () => refused };
}

/** Forwards reads to an event store, except those that `answer` handles. */
async function startReadServer(
  storePort: number,
  answer: (call: ServerWritableStream<ReadReq, ReadResp>) => boolean,
): Promise<ReadServer> {
  const store = new StreamsClient(`127.0.0.1:${storePort}`, credentials.createInsecure());
  const server = new Server();
  const read = (call: ServerWritableStream<ReadReq, ReadResp>): void => {
    if (answer(call)) return;
    const answers = store.read(call.request);
    answers.on('data', (each: ReadResp) => call.write(each));
    answers.on('end', () => call.end());
    answers.on('error', (fault) => call.emit('error', fault));
    call.on('cancelled', () => answers.cancel());
  };
  server.addService({ read: StreamsService.read }, { read });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    close() {
      server.forceShutdown();
      store.close();
    },
  };
}
