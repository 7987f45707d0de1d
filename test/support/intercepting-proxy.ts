import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Client, credentials, Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServerDuplexStream, StatusObject } from '@grpc/grpc-js';
import type { EmbeddedEventStore } from '@plaza/event-store/testing';

/** Replaces forwarding a message: an answer, or an error that ends the call. */
export type Intercepted = { readonly answer: Uint8Array } | { readonly error: Partial<StatusObject> };

/** `method`: as in the protocol, e.g. `Read`. `message`: the bytes sent. Undefined: the message is forwarded. */
export type Intercept = (method: string, message: Buffer) => Intercepted | undefined;

export interface InterceptingProxy {
  /** Same user and password as the store behind it. */
  readonly url: string;
  close(): void;
}

const FORWARDED_METADATA = ['authorization', 'requires-leader'];
const services = [StreamsService, ServerFeaturesService, GossipService];
const identity = (message: Buffer): Buffer => message;

/**
 * A proxy in front of an event store that forwards every message unless the test intercepts it: so tests get refusals that
 * the embedded store never makes. Uses TLS if the store does, with the same certificate.
 */
export async function startInterceptingProxy(
  { url, dir, port }: Pick<EmbeddedEventStore, 'url' | 'dir' | 'port'>,
  intercept: Intercept,
): Promise<InterceptingProxy> {
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
  // A unary call has the wire format of a stream of one message.
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
