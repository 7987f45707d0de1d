import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import { ANY, openStore } from '@plaza/event-store/testing';
import type { Store } from '@plaza/event-store/testing';
import { ClusterNode } from './cluster-node.js';
import type { Election } from './cluster-node.js';

const { FOLLOWER, LEADER } = gossipPb.MemberInfo.VNodeState;
const MAX_APPEND_BYTES = 1024 * 1024;

/**
 * A cluster of event stores in this process, for behavior that a single store never shows: lagging followers, elections,
 * frozen and resumed nodes. The nodes share one log, and the test elects the leader.
 */
export class TestCluster {
  private leading: ClusterNode | undefined;
  private readonly beliefs = new Map<ClusterNode, ClusterNode>();
  readonly nodes: ClusterNode[] = [];

  private constructor(
    private readonly dir: string,
    private readonly store: Store,
  ) {}

  /** The first node leads. */
  static async start(size = 3): Promise<TestCluster> {
    const dir = await mkdtemp(join(tmpdir(), 'plaza-cluster-'));
    const options = { fsync: false, log: () => undefined, now: () => new Date(), newId: randomUUID };
    const cluster = new TestCluster(dir, await openStore({ dir, ...options }));
    await cluster.startNodes(size);
    return cluster;
  }

  /** Lists all nodes, of which the client chooses one by gossip. */
  get url(): string {
    return `esdb://${this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}?tls=false`;
  }

  get leader(): ClusterNode | undefined {
    return this.leading;
  }

  /** Elects this node; undefined: none. An elected node has every confirmed event. */
  async elect(elected: ClusterNode | undefined): Promise<void> {
    this.leading = undefined;
    for (const node of this.nodes) node.lead(false);
    await elected?.replica.catchUp();
    elected?.lead(true);
    this.leading = elected;
  }

  /** A frozen node resumes as the deposed leader, and the others believe it until the next election. */
  wakeAsLeader(node: ClusterNode): void {
    node.wakeAsLeader();
    this.leading = node;
  }

  /**
   * Cuts the leader off from the other nodes, which elect another one, and from all clients but those of its
   * `directUrl`. It still believes that it leads: it answers reads from its old state, and never answers an append.
   */
  async isolate(leader: ClusterNode, elected: ClusterNode): Promise<void> {
    leader.replica.holdBack();
    this.wakeAsLeader(leader);
    this.mislead(leader, leader);
    await leader.network.cut();
    await elected.replica.catchUp();
    elected.lead(true);
    this.leading = elected;
  }

  /** Reconnects an isolated node, which follows the elected leader. */
  async rejoin(node: ClusterNode): Promise<void> {
    node.lead(false);
    this.beliefs.delete(node);
    await node.replica.catchUp();
    await node.network.reopen();
  }

  /** Starts another node, which follows. */
  async add(): Promise<void> {
    await this.startNode();
  }

  /** From now on this node names another leader than the elected one. */
  mislead(node: ClusterNode, leader: ClusterNode): void {
    this.beliefs.set(node, leader);
  }

  /** Appends events as a server does for its statistics, behind all other events. */
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
    for (let i = 0; i < size; i++) await this.startNode();
    await this.elect(this.nodes[0]);
  }

  private async startNode(): Promise<void> {
    const i = this.nodes.length;
    const election: Election = {
      leader: () => this.leading && { host: '127.0.0.1', port: this.leading.port },
      gossip: (_call, callback) => callback(null, this.gossipOf(this.nodes[i])),
    };
    this.nodes.push(await ClusterNode.start(this.store, this.dir, election));
  }

  private gossipOf(asked: ClusterNode | undefined): InstanceType<typeof gossipPb.ClusterInfo> {
    const leader = (asked && this.beliefs.get(asked)) ?? this.leading;
    const members = this.nodes.map((node) =>
      new gossipPb.MemberInfo()
        .setInstanceId(new sharedPb.UUID().setString(randomUUID()))
        .setTimeStamp(`${Date.now()}0000`)
        .setState(node === leader ? LEADER : FOLLOWER)
        .setIsAlive(true)
        .setHttpEndPoint(new gossipPb.EndPoint().setAddress('127.0.0.1').setPort(node.port)),
    );
    return new gossipPb.ClusterInfo().setMembersList(members);
  }
}
