import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServiceDefinition, UntypedHandleCall } from '@grpc/grpc-js';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { PendingConnectionLimits } from './access/pending-connections.js';
import { isTlsRequired, publicAddress } from './access/client-address.js';
import { startListener, type Listener } from './access/listener.js';
import { SameUser } from './access/same-user.js';
import { tlsIdentity } from './access/tls-identity.js';
import { appendHandler } from './grpc/append-call.js';
import { batchAppendHandler } from './grpc/batch-append-call.js';
import { decodeBatchAppendRequest } from './grpc/batch-append-request.js';
import { deleteHandler, tombstoneHandler } from './grpc/delete-calls.js';
import { gossipHandler, supportedMethodsHandler } from './grpc/discovery-calls.js';
import {
  guardHandler,
  simulateHandler,
  type CallGate,
  type Handler,
  type ServerSimulation,
} from './grpc/call-guard.js';
import { LiveCalls } from './grpc/live-calls.js';
import { readHandler } from './grpc/read-call.js';
import { httpProbes } from './http-probes.js';
import { metricsPage, type MetricsSource } from './metrics-page.js';
import { openStore, type Store, type StoreOptions } from './storage/store.js';

export interface EventStoreOptions extends Omit<StoreOptions, 'newId'> {
  host: string;
  port: number;
  /**
   * True: serves TLS, and every call needs a password. False: only processes of this user and of root can connect,
   * which needs Linux and a loopback address. Default: false where that is given, otherwise true.
   */
  tls?: boolean;
  limits?: PendingConnectionLimits;
  metrics?: () => Promise<MetricsSource>;
  newId?: StoreOptions['newId'];
}

export type ServeOptions = Pick<
  EventStoreOptions,
  'dir' | 'host' | 'port' | 'tls' | 'limits' | 'metrics' | 'log' | 'now'
> & {
  simulation?: ServerSimulation;
};

export interface RunningEventStore {
  port: number;
  url: string;
  credentialsFile?: string;
  /** Finishes the accepted appends, ends all other calls with UNAVAILABLE, and releases the directory. */
  close(): Promise<void>;
}

/**
 * Longest message that the server receives or sends. The data of an append may have 1 MiB; but EventStoreDB accepts
 * messages of 17 MiB, and clients size their batches by that.
 */
const MAX_MESSAGE_LENGTH = 17 * 1024 * 1024;
/**
 * Time for clients to receive the rest of their data and then the end of their calls. A call that is cut off after it
 * ends as cancelled, without a reason. A launcher must wait longer before it sends SIGKILL.
 */
const CLOSE_GRACE_MS = 5_000;

/**
 * Opens the store in the directory `dir`, and serves the gRPC protocol of EventStoreDB for it.
 * @throws {DirectoryLockedError}
 * @throws {CorruptLogError}
 * @throws the error of listening
 */
export async function startEventStore({
  newId = randomUUID,
  ...options
}: EventStoreOptions): Promise<RunningEventStore> {
  const store = await openStore({ ...options, newId });
  try {
    const serving = await serveStore(store, options);
    let closed: Promise<void> | undefined;
    return { ...serving, close: () => (closed ??= serving.close().then(() => store.close())) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Serves a store that is open already. `close` of the result refuses further appends, and leaves the store open. */
export async function serveStore(
  store: Store,
  { host, port, tls = isTlsRequired(host), limits, metrics, simulation, ...options }: ServeOptions,
): Promise<RunningEventStore> {
  const live = new LiveCalls();
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_LENGTH,
    'grpc.max_send_message_length': MAX_MESSAGE_LENGTH,
  });
  const identity = tls ? await tlsIdentity({ ...options, host }) : undefined;
  const gate = identity && { ...identity, onAuthenticated: (peer: string) => listener.release(peer) };
  addServices(server, store, live, gate, simulation);
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const listener = await startListener({
    host,
    port,
    ...(limits && { limits }),
    access: identity ?? new SameUser({ ...options, uid: ownUid() }),
    serveGrpc: (socket) => injector.injectConnection(socket),
    serveHttp: httpProbes({
      authentication: tls ? 'internal' : 'insecure',
      metrics: metrics && metricsPage({ source: metrics, tls, log: options.log }),
    }),
  });
  options.log('info', 'event store ready', {
    dir: options.dir,
    host,
    port: listener.port,
    tls,
    events: store.index.count,
  });
  return {
    port: listener.port,
    url: publicAddress({ ...options, host, port: listener.port, tls }),
    ...(identity && { credentialsFile: identity.credentialsFile }),
    close: () => close(shutdownOf(server, listener), store, live),
  };
}

type Shutdown = Pick<Server, 'tryShutdown' | 'forceShutdown'>;

/**
 * Waits until all connections are closed. gRPC itself does not wait for sockets that it was given, so their clients
 * might not receive the end of their calls.
 */
function shutdownOf(server: Server, listener: Listener): Shutdown {
  return {
    tryShutdown: (done) => {
      listener.close(done);
      server.tryShutdown(() => undefined);
    },
    forceShutdown: () => server.forceShutdown(),
  };
}

function ownUid(): number {
  const uid = process.getuid?.();
  if (uid === undefined)
    throw new Error(
      'without TLS the event store must know its user id, which this system does not have: serve TLS',
    );
  return uid;
}

function addServices(
  server: Server,
  store: Store,
  live: LiveCalls,
  gate: CallGate | undefined,
  simulation: ServerSimulation | undefined,
): void {
  const open = (handler: Handler): UntypedHandleCall => guardHandler(handler, live);
  const guard = (handler: (store: Store) => Handler): UntypedHandleCall =>
    guardHandler(simulation ? simulateHandler(simulation, handler) : handler(store), live, gate);
  const gossip = simulation?.gossip ?? gossipHandler(store.newId(), () => store.now());
  const supportedMethods = simulation?.supportedMethods ?? supportedMethodsHandler();
  // clients call these before they send credentials
  server.addService(ServerFeaturesService, { getSupportedMethods: open(supportedMethods) });
  server.addService(GossipService, { read: open(gossip) });
  server.addService(streamsService(StreamsService), {
    read: guard((view) => readHandler(view, live)),
    append: guard((view) => appendHandler(view, live)),
    batchAppend: guard((view) => batchAppendHandler(view, live)),
    delete: guard(deleteHandler),
    tombstone: guard(tombstoneHandler),
  });
}

/**
 * Overrides two methods of the generated service definition: Read sends bytes that are encoded already, and
 * BatchAppend decodes a field that the generated code does not know.
 */
function streamsService({ read, batchAppend, ...others }: ServiceDefinition): ServiceDefinition {
  if (!read || !batchAppend)
    throw new Error('the Streams service of @eventstore/db-client lacks its method read or batchAppend');
  return {
    ...others,
    read: { ...read, responseSerialize: (bytes: Buffer) => bytes },
    batchAppend: { ...batchAppend, requestDeserialize: decodeBatchAppendRequest },
  };
}

async function close(server: Shutdown, store: Store, live: LiveCalls): Promise<void> {
  live.refuseNew();
  await store.refuseAppends();
  await setImmediate(); // sends the last appends' responses before the end of their calls
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
}
