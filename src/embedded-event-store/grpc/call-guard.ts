import type { EventEmitter } from 'node:events';
import type { handleUnaryCall, Metadata, UntypedHandleCall } from '@grpc/grpc-js';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import { refusalOf, type Credentials } from '../access/credentials.js';
import type { Store } from '../storage/store.js';
import type { LiveCalls } from './live-calls.js';
import { shuttingDown, type CallStatus } from './status.js';

export type Handler = (call: never, callback: never) => void;

export interface Gate extends Credentials {
  admitted(peer: string): void;
}

/**
 * Simulates a node of a cluster or a differently configured server, for tests alone. It consists of functions, so no
 * argument or environment variable of a process can enable it.
 */
export interface Imitation {
  refusalOf(metadata: Metadata): CallStatus | undefined;
  storeFor(metadata: Metadata): Store;
  readonly gossip: handleUnaryCall<Empty, ClusterInfo>;
}

type IncomingCall = EventEmitter & { metadata: Metadata; getPeer(): string };
type Callback = ((status: CallStatus) => void) | undefined;

export function guarded(handler: Handler, live: LiveCalls, gate?: Gate): UntypedHandleCall {
  const guard = (call: IncomingCall, callback: Callback): void => {
    const refusal = live.closing ? shuttingDown() : gate && refusalOf(call.metadata, gate);
    if (refusal) return refuse(call, callback, refusal);
    gate?.admitted(call.getPeer());
    handler(call as never, callback as never);
  };
  return guard as UntypedHandleCall;
}

export function imitating(imitation: Imitation, handler: (store: Store) => Handler): Handler {
  return (call: IncomingCall, callback: Callback) => {
    const refusal = imitation.refusalOf(call.metadata);
    if (refusal) return refuse(call, callback, refusal);
    handler(imitation.storeFor(call.metadata))(call as never, callback as never);
  };
}

function refuse(call: IncomingCall, callback: Callback, refusal: CallStatus): void {
  if (callback) callback(refusal);
  else call.emit('error', refusal);
}
