import type { EventEmitter } from 'node:events';
import type { handleUnaryCall, Metadata, UntypedHandleCall } from '@grpc/grpc-js';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import { refusalOf, type Credentials } from '../access/credentials.js';
import type { Store } from '../storage/store.js';
import type { LiveCalls } from './live-calls.js';
import { shuttingDown, type CallStatus } from './status.js';

/** A handler of any of the four kinds of calls; only those with one answer have a callback. */
export type Handler = (call: never, callback: never) => void;

export interface Gate extends Credentials {
  /** Called with where a call comes from that names them. */
  admitted(peer: string): void;
}

/**
 * What a node of a cluster does, or a server that was set up otherwise, and this store never does by itself. For tests
 * alone: it consists of functions, so no argument and no variable of a process can bring one about, and no process of
 * Plaza's has one.
 */
export interface Imitation {
  /** Why a call of the Streams service is not served. */
  refusalOf(metadata: Metadata): CallStatus | undefined;
  /** The store as such a call sees it. */
  storeFor(metadata: Metadata): Store;
  /** What clients are told of the cluster. */
  readonly gossip: handleUnaryCall<Empty, ClusterInfo>;
}

type IncomingCall = EventEmitter & { metadata: Metadata; getPeer(): string };
type Callback = ((status: CallStatus) => void) | undefined;

/** The handler, turning calls away once the server is closing, and those without the credentials that are asked for. */
export function guarded(handler: Handler, live: LiveCalls, gate?: Gate): UntypedHandleCall {
  const guard = (call: IncomingCall, callback: Callback): void => {
    const refusal = live.closing ? shuttingDown() : gate && refusalOf(call.metadata, gate);
    if (refusal) return refuse(call, callback, refusal);
    gate?.admitted(call.getPeer());
    handler(call as never, callback as never);
  };
  return guard as UntypedHandleCall;
}

/** The handler over the store that a call sees, turning away what the imitation refuses. */
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
