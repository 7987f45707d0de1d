import type { EventEmitter } from 'node:events';
import type { handleUnaryCall, Metadata, UntypedHandleCall } from '@grpc/grpc-js';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import { checkCredentials, type Credentials } from '../access/credentials.js';
import type { Store } from '../storage/store.js';
import type { LiveCalls } from './live-calls.js';
import { shuttingDown, type CallStatus } from '../status.js';

export type Handler = (call: never, callback: never) => void;

export interface CallGate extends Credentials {
  onAuthenticated(peer: string): void;
}

/**
 * Simulates a node of a cluster, or a server with other settings, in tests only. It consists of functions, so no
 * argument or environment variable can switch it on.
 */
export interface ServerSimulation {
  refusalOf(metadata: Metadata): CallStatus | undefined;
  storeFor(metadata: Metadata): Store;
  readonly supportedMethods: handleUnaryCall<Empty, SupportedMethods>;
  readonly gossip: handleUnaryCall<Empty, ClusterInfo>;
}

type IncomingCall = EventEmitter & { metadata: Metadata; getPeer(): string };
type Callback = ((status: CallStatus) => void) | undefined;

export function guardHandler(handler: Handler, live: LiveCalls, gate?: CallGate): UntypedHandleCall {
  const guard = (call: IncomingCall, callback: Callback): void => {
    const refusal = live.closing ? shuttingDown() : gate && checkCredentials(call.metadata, gate);
    if (refusal) return refuse(call, callback, refusal);
    gate?.onAuthenticated(call.getPeer());
    handler(call as never, callback as never);
  };
  return guard as UntypedHandleCall;
}

export function simulateHandler(simulation: ServerSimulation, handler: (store: Store) => Handler): Handler {
  return (call: IncomingCall, callback: Callback) => {
    const refusal = simulation.refusalOf(call.metadata);
    if (refusal) return refuse(call, callback, refusal);
    handler(simulation.storeFor(call.metadata))(call as never, callback as never);
  };
}

function refuse(call: IncomingCall, callback: Callback, refusal: CallStatus): void {
  if (callback) callback(refusal);
  else call.emit('error', refusal);
}
