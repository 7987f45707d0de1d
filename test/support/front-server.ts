import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Client, credentials, Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServerDuplexStream, StatusObject } from '@grpc/grpc-js';
import type { EmbeddedEventStore } from './event-store.js';

/** What is done with a message to the store instead of passing it on: it is answered, or its call ends with an error. */
export type Intercepted = { readonly answer: Uint8Array } | { readonly error: Partial<StatusObject> };

/** `method`: as the protocol names it, `Read`. `message`: as it was sent. Undefined: it is passed on. */
export type Intercept = (method: string, message: Buffer) => Intercepted | undefined;

export interface FrontServer {
  /** As that of the store behind it, with the same user and password. */
  readonly url: string;
  close(): void;
}

const FORWARDED_METADATA = ['authorization', 'requires-leader'];
const services = [StreamsService, ServerFeaturesService, GossipService];
const identity = (message: Buffer): Buffer => message;

/**
 * Stands before an event store and passes on, byte by byte, what a test does not intercept: so a test's store refuses what
 * the embedded store never does. Serves TLS where the store does, with the same certificate.
 */
export async function startFrontServer(
  { url, dir, port }: Pick<EmbeddedEventStore, 'url' | 'dir' | 'port'>,
  intercept: Intercept,
): Promise<FrontServer> {
  const isTls = url.includes('tls=true');
  const certificate = isTls ? readFileSync(join(dir, 'tls.crt')) : Buffer.of();
  const store = new Client(
    `localhost:${port}`,
    isTls ? credentials.createSsl(certificate) : credentials.createInsecure(),
  );
  const forward = (path: string) => (call: ServerDuplexStream<Buffer, Buffer>) => {
    const metadata = new Metadata();
    for (const name of FORWARDED_METADATA)
      for (const value of call.metadata.get(name)) metadata.add(name, value);
    const forwarded = store.makeBidiStreamRequest(path, identity, identity, metadata);
    forwarded.on('data', (message: Buffer) => call.write(message));
    forwarded.on('end', () => call.end());
    forwarded.on('error', (error) => call.emit('error', error));
    call.on('data', (message: Buffer) => {
      const intercepted = intercept(path.split('/').at(-1) ?? '', message);
      if (!intercepted) forwarded.write(message);
      else if ('answer' in intercepted) call.write(Buffer.from(intercepted.answer));
      else {
        forwarded.removeAllListeners('error').on('error', () => undefined);
        forwarded.cancel();
        call.emit('error', intercepted.error);
      }
    });
    call.on('end', () => forwarded.end());
    call.on('cancelled', () => forwarded.cancel());
  };
  const server = new Server();
  // A call of one message is, as it is sent, a stream of one.
  for (const { path } of services.flatMap((service) => Object.values(service)))
    server.register(path, forward(path), identity, identity, 'bidi');
  const serverCredentials = isTls
    ? ServerCredentials.createSsl(null, [
        { cert_chain: certificate, private_key: readFileSync(join(dir, 'tls.key')) },
      ])
    : ServerCredentials.createInsecure();
  const boundPort = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', serverCredentials, (error, at) => (error ? reject(error) : resolve(at))),
  );
  return {
    url: url.replace(`:${port}?`, `:${boundPort}?`),
    close() {
      server.forceShutdown();
      store.close();
    },
  };
}
