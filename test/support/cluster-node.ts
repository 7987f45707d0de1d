import { status } from '@grpc/grpc-js';
import type { Metadata } from '@grpc/grpc-js';
import {
  CallRefusedError,
  supportedMethodsHandler,
  notLeader,
  notReady,
  unauthenticated,
  serveStore,
} from '@plaza/event-store/testing';
import type { ServerSimulation, CallStatus, RunningEventStore, Store } from '@plaza/event-store/testing';
import { LaggingIndex } from './lagging-index.js';
import { startTcpProxy } from './tcp-proxy.js';
import type { TcpProxy } from './tcp-proxy.js';

/** Knowledge that the nodes of a cluster share. */
export interface Election {
  /** Address of the leader; undefined: none is elected. */
  leader(): { readonly host: string; readonly port: number } | undefined;
  readonly gossip: ServerSimulation['gossip'];
}

const supportedMethods = supportedMethodsHandler();
const forever = new Promise<never>(() => undefined);
const requiresLeader = (metadata: Metadata): boolean => metadata.get('requires-leader').includes('true');

/** A node as its clients see it. All nodes share one store, each with its own view. */
export class ClusterNode {
  /** The node's own belief. Only appends to the elected leader are confirmed. */
  isLeading = false;
  /** Refuses all calls as unauthenticated. */
  refusesCredentials = false;
  /** Fails calls for its features with an internal error, like a broken proxy. */
  hidesFeatures = false;
  /** The streams of appends that the node received as the deposed leader, and never answers. */
  readonly unanswered: string[] = [];
  private isDeposed = false;

  private constructor(
    readonly replica: LaggingIndex,
    private readonly serving: RunningEventStore,
    readonly network: TcpProxy,
  ) {}

  static async start(store: Store, dir: string, election: Election): Promise<ClusterNode> {
    const replica = new LaggingIndex(store);
    await replica.catchUp();
    const serving = await serveStore(store, {
      dir,
      host: '127.0.0.1',
      port: 0,
      log: () => undefined,
      now: () => new Date(),
      simulation: {
        refusalOf: (metadata) => node.refusalOf(metadata, election),
        storeFor: (metadata) => node.viewOf(store, metadata, election),
        supportedMethods: (call, callback) =>
          node.hidesFeatures ? callback({ code: status.INTERNAL }) : supportedMethods(call, callback),
        gossip: election.gossip,
      },
    });
    const node = new ClusterNode(replica, serving, await startTcpProxy(serving.port));
    return node;
  }

  get port(): number {
    return this.network.port;
  }

  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** Past the network that other processes use, for a client that stays beside a node that is cut off. */
  get directUrl(): string {
    return `esdb://127.0.0.1:${this.serving.port}?tls=false`;
  }

  /** Like a stopped process: connections stay open and silent. */
  freeze(): void {
    this.network.freeze();
    this.replica.holdBack();
  }

  /** Resumes in the role that the others gave it meanwhile. */
  async thaw(): Promise<void> {
    this.network.thaw();
    await this.replica.catchUp();
  }

  /** Resumes as the deposed leader: with its old log, and without confirmed appends. */
  wakeAsLeader(): void {
    this.isLeading = true;
    this.isDeposed = true;
    this.network.thaw();
  }

  /** Sets the elected role. */
  lead(isLeading: boolean): void {
    this.isLeading = isLeading;
    this.isDeposed = false;
  }

  async stop(): Promise<void> {
    await this.network.close();
    await this.serving.close();
  }

  private refusalOf(metadata: Metadata, election: Election): CallStatus | undefined {
    if (this.refusesCredentials) return unauthenticated();
    if (this.isLeading || !requiresLeader(metadata)) return undefined;
    const leader = election.leader();
    return leader ? notLeader(leader) : notReady();
  }

  private viewOf(store: Store, metadata: Metadata, election: Election): Store {
    const { replica } = this;
    const view: Partial<Store> = {
      index: replica.index,
      onCommit: (wake) => replica.onCommit(wake),
      append: async (...given) => {
        const refusal = this.refusalOf(metadata, election);
        if (refusal) throw new CallRefusedError(refusal);
        if (this.isDeposed) {
          this.unanswered.push(given[0]);
          return forever;
        }
        const result = await store.append(...given);
        if (this.isLeading) await replica.catchUpUnlessHeldBack();
        return result;
      },
      // Refuses this call; the store keeps accepting appends.
      refuseAppends: () => Promise.resolve(),
    };
    return new Proxy(store, {
      get: (of, name: keyof Store) => {
        if (name in view) return view[name];
        const value: unknown = Reflect.get(of, name, of);
        return typeof value === 'function' ? value.bind(of) : value;
      },
    });
  }
}
