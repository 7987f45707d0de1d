import { Server, ServerCredentials, type ServiceDefinition, type UntypedHandleCall } from '@grpc/grpc-js';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { appendHandler } from './grpc/append-call.js';
import { batchAppendHandler } from './grpc/batch-append-call.js';
import { deleteHandler, tombstoneHandler } from './grpc/delete-calls.js';
import { gossipHandler, supportedMethodsHandler } from './grpc/discovery-calls.js';
import { LiveCalls } from './grpc/live-calls.js';
import { readHandler } from './grpc/read-call.js';
import { shuttingDown, type CallStatus } from './grpc/status.js';
import { openStore, type Store, type StoreOptions } from './storage/store.js';

export { CorruptLogError, DirectoryLockedError } from './errors.js';

export interface EventStoreOptions extends Omit<StoreOptions, 'newId'> {
  /** Address to listen on. There is no authentication: keep it to the loopback interface or a private network. */
  host: string;
  /** 0 takes a free port. */
  port: number;
  newId?: StoreOptions['newId'];
}

export interface RunningEventStore {
  port: number;
  /** Finishes the appends under way, ends all other calls with UNAVAILABLE, and gives the directory back. */
  close(): Promise<void>;
}

/** Events may have 1 MiB; EventStoreDB takes messages of up to 17 MiB, and clients send their batches by that. */
const MAX_MESSAGE_LENGTH = 17 * 1024 * 1024;
/**
 * How long clients get to take in the end of their calls, which is behind what was sent before. A call that is cut off
 * after that ends as cancelled, without a reason. Less than a launcher waits before it kills a process that it stops.
 */
const CLOSE_GRACE_MS = 5_000;

/**
 * Starts an event store that speaks the gRPC protocol of EventStoreDB over the directory `dir`.
 * Throws DirectoryLockedError, CorruptLogError, and what listening throws.
 */
export async function startEventStore({
  host,
  port,
  newId = randomUUID,
  ...options
}: EventStoreOptions): Promise<RunningEventStore> {
  const store = await openStore({ ...options, newId });
  const live = new LiveCalls();
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_LENGTH,
    'grpc.max_send_message_length': MAX_MESSAGE_LENGTH,
  });
  addServices(server, store, live);
  try {
    const bound = await listen(server, host, port);
    options.log('info', 'event store ready', {
      dir: options.dir,
      host,
      port: bound,
      events: store.index.count,
    });
    let closed: Promise<void> | undefined;
    return { port: bound, close: () => (closed ??= close(server, store, live)) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function addServices(server: Server, store: Store, live: LiveCalls): void {
  const guard = (handler: Handler): UntypedHandleCall => guarded(handler, live);
  server.addService(ServerFeaturesService, { getSupportedMethods: guard(supportedMethodsHandler()) });
  server.addService(GossipService, { read: guard(gossipHandler(store.newId(), () => store.now())) });
  server.addService(preEncodedReads(StreamsService), {
    read: guard(readHandler(store, live)),
    append: guard(appendHandler(store, live)),
    batchAppend: guard(batchAppendHandler(store, live)),
    delete: guard(deleteHandler(store)),
    tombstone: guard(tombstoneHandler(store)),
  });
}

/** The service with a Read whose responses are bytes already: the log stores what is to be sent. */
function preEncodedReads({ read, ...others }: ServiceDefinition): ServiceDefinition {
  if (!read) throw new Error('the generated service definition has no Read');
  return { ...others, read: { ...read, responseSerialize: (bytes: Buffer) => bytes } };
}

/** A handler of any of the four kinds of calls; only those with one answer have a callback. */
type Handler = (call: never, callback: never) => void;

/** The handler, turning calls away once the server is closing. */
function guarded(handler: Handler, live: LiveCalls): UntypedHandleCall {
  const guard = (call: EventEmitter, callback?: (status: CallStatus) => void): void => {
    if (!live.closing) handler(call as never, callback as never);
    else if (callback) callback(shuttingDown());
    else call.emit('error', shuttingDown());
  };
  return guard as UntypedHandleCall;
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });
}

async function close(server: Server, store: Store, live: LiveCalls): Promise<void> {
  live.refuseNew();
  await store.refuseAppends();
  await setImmediate(); // the answers to the last appends go out in front of the end of their calls
  live.endAll();
  await new Promise<void>((resolve) => {
    const force = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, CLOSE_GRACE_MS);
    server.tryShutdown(() => {
      clearTimeout(force);
      resolve();
    });
  });
  await store.close();
}
