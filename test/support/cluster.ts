import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import { ANY } from '../../src/embedded-event-store/storage/expected-revision.js';
import { openStore } from '../../src/embedded-event-store/storage/store.js';
import type { Store } from '../../src/embedded-event-store/storage/store.js';
import { ClusterNode } from './cluster-node.js';
import type { Election } from './cluster-node.js';

const { FOLLOWER, LEADER } = gossipPb.MemberInfo.VNodeState;
/** Bytes that one append may have. */
const MAX_APPEND_BYTES = 1024 * 1024;

/**
 * A cluster of event stores in this process, for what a client meets there and a single store never shows: followers that
 * lag, elections, nodes that freeze and wake up. The nodes share one log, and a test says who leads.
 */
export class TestCluster {
  private leading: ClusterNode | undefined;
  readonly nodes: ClusterNode[] = [];

  private constructor(
    private readonly dir: string,
    private readonly store: Store,
  ) {}

  /** The first of so many nodes leads. */
  static async start(size = 3): Promise<TestCluster> {
    const dir = await mkdtemp(join(tmpdir(), 'plaza-cluster-'));
    const options = { fsync: false, log: () => undefined, now: () => new Date(), newId: randomUUID };
    const cluster = new TestCluster(dir, await openStore({ dir, ...options }));
    await cluster.startNodes(size);
    return cluster;
  }

  /** The nodes' addresses, to choose one by gossip. */
  get url(): string {
    return `esdb://${this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}?tls=false`;
  }

  get leader(): ClusterNode | undefined {
    return this.leading;
  }

  /** From now on this node leads; undefined: nobody does. Whoever is elected has all that was confirmed. */
  async elect(elected: ClusterNode | undefined): Promise<void> {
    this.leading = undefined;
    for (const node of this.nodes) node.lead(false);
    await elected?.replica.catchUp();
    elected?.lead(true);
    this.leading = elected;
  }

  /** A node that was frozen goes on as the leader that it was, and until the next election the others believe it. */
  wakeAsLeader(node: ClusterNode): void {
    node.wakeAsLeader();
    this.leading = node;
  }

  /** Appends what a server writes for itself behind everything else: so many events of so many bytes. */
  async writeStatistics(count: number, bytes: number): Promise<void> {
    const data = Buffer.from(JSON.stringify({ text: 'x'.repeat(bytes) }));
    const perAppend = Math.max(1, Math.floor(MAX_APPEND_BYTES / data.length));
    for (let left = count; left > 0; left -= perAppend) {
      const events = Array.from({ length: Math.min(perAppend, left) }, () => ({
        id: randomUUID(),
        type: '$statsCollected',
        isJson: true,
        data,
        metadata: Buffer.alloc(0),
      }));
      await this.store.append('$stats-127.0.0.1:2113', ANY, events);
    }
    await this.leading?.replica.catchUp();
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) await node.stop();
    await this.store.close();
    await rm(this.dir, { recursive: true });
  }

  private async startNodes(size: number): Promise<void> {
    const election: Election = {
      leader: () => this.leading && { host: '127.0.0.1', port: this.leading.port },
      gossip: (_call, callback) => callback(null, this.gossip()),
    };
    for (let i = 0; i < size; i++) this.nodes.push(await ClusterNode.start(this.store, this.dir, election));
    await this.elect(this.nodes[0]);
  }

  private gossip(): InstanceType<typeof gossipPb.ClusterInfo> {
    const members = this.nodes.map((node) =>
      new gossipPb.MemberInfo()
        .setInstanceId(new sharedPb.UUID().setString(randomUUID()))
        .setTimeStamp(`${Date.now()}0000`)
        .setState(node === this.leading ? LEADER : FOLLOWER)
        .setIsAlive(true)
        .setHttpEndPoint(new gossipPb.EndPoint().setAddress('127.0.0.1').setPort(node.port)),
    );
    return new gossipPb.ClusterInfo().setMembersList(members);
  }
}
