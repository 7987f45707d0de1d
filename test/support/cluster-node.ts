import type { Metadata } from '@grpc/grpc-js';
import { CallRefusedError } from '../../src/embedded-event-store/errors.js';
import type { ServerSimulation } from '../../src/embedded-event-store/grpc/call-guard.js';
import {
  notLeader,
  notReady,
  unauthenticated,
  type CallStatus,
} from '../../src/embedded-event-store/grpc/status.js';
import { serveStore, type RunningEventStore } from '../../src/embedded-event-store/server.js';
import type { Store } from '../../src/embedded-event-store/storage/store.js';
import { LaggingIndex } from './lagging-index.js';
import { startTcpProxy } from './tcp-proxy.js';
import type { TcpProxy } from './tcp-proxy.js';

/** What the nodes of a cluster know of each other. */
export interface Election {
  /** Where the leader is; undefined: none is elected. */
  leader(): { readonly host: string; readonly port: number } | undefined;
  readonly gossip: ServerSimulation['gossip'];
}

const forever = new Promise<never>(() => undefined);
const requiresLeader = (metadata: Metadata): boolean => metadata.get('requires-leader').includes('true');

/** A node as its clients see it. All nodes of a cluster are over one store, each with its own view of it. */
export class ClusterNode {
  /** How it thinks of itself. Only the elected leader has its appends confirmed by the others. */
  isLeading = false;
  /** Refuses whoever comes, as for a wrong password. */
  refusesCredentials = false;
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

  /** As when its process is stopped: connections stand, and nothing comes over them. */
  freeze(): void {
    this.network.freeze();
    this.replica.holdBack();
  }

  /** It goes on as what the others made of it meanwhile. */
  async thaw(): Promise<void> {
    this.network.thaw();
    await this.replica.catchUp();
  }

  /** It goes on as the leader that it was: it has what it had then, and what it appends is confirmed by nobody. */
  wakeAsLeader(): void {
    this.isLeading = true;
    this.isDeposed = true;
    this.network.thaw();
  }

  /** What the others elect. */
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
        if (this.isDeposed) return forever;
        const result = await store.append(...given);
        if (this.isLeading) await replica.settle();
        return result;
      },
      // Of this call alone: the store itself goes on.
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
