import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import type { MemberInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { EndPoint } from '@eventstore/db-client';
import { LeaderNotFound } from '../client-errors.js';

const { LEADER, MANAGER, PREREADONLYREPLICA, READONLYLEADERLESS, READONLYREPLICA } =
  gossipPb.MemberInfo.VNodeState;
const nonVoterStates: ReadonlySet<number> = new Set([
  MANAGER,
  PREREADONLYREPLICA,
  READONLYLEADERLESS,
  READONLYREPLICA,
]);

/** Asks a node for its gossip: the members of the cluster, and their states, as that node sees them. */
export type ReadGossip<Node extends EndPoint> = (node: Node | EndPoint) => Promise<readonly MemberInfo[]>;

export const hostAndPort = ({ address, port }: EndPoint): string => `${address}:${port}`;

/**
 * Finds the leader by a vote: asks the nodes that an address names, and the members that these name, for the leader.
 * A member votes under its name in the cluster: under the name in the address, one node could vote twice.
 */
export class LeaderVote<Node extends EndPoint> {
  private readonly answers = new Map<string, Promise<readonly MemberInfo[]>>();
  private readonly counted: Promise<void>[] = [];
  private readonly votes = new Map<string, number>();
  private readonly agreed = Promise.withResolvers<EndPoint>();
  private readonly named: number;

  constructor(
    nodes: readonly Node[],
    private readonly readGossip: ReadGossip<Node>,
  ) {
    for (const node of nodes) void this.ask(node);
    this.named = this.answers.size;
  }

  /**
   * @returns The leader as soon as a majority of the nodes names it. One node is not enough: after a freeze it may
   * still take itself for the leader.
   * @throws {LeaderNotFound}
   */
  async leader(): Promise<EndPoint> {
    const leader = await Promise.race([this.agreed.promise, this.end()]);
    if (leader) return leader;
    const results = await Promise.allSettled(this.answers.values());
    const failed = results.filter((each) => each.status === 'rejected');
    if (failed.length === results.length)
      throw new LeaderNotFound('No node of the event store answers.', { cause: failed[0]?.reason });
    throw new LeaderNotFound('The nodes of the event store agree on no leader.');
  }

  /** Returns the answer of this node, which is asked only once. */
  ask(node: Node | EndPoint): Promise<readonly MemberInfo[]> {
    const name = hostAndPort(node);
    let answer = this.answers.get(name);
    if (!answer) {
      answer = this.readGossip(node);
      this.answers.set(name, answer);
      this.counted.push(
        answer.then(
          (members) => this.count(name, members),
          () => undefined,
        ),
      );
    }
    return answer;
  }

  private count(name: string, members: readonly MemberInfo[]): void {
    const voters = members.filter((each) => !nonVoterStates.has(each.getState()));
    const names = voters.flatMap((each) => endPointsOf(each));
    for (const each of names) void this.ask(each);
    const leader = leaderAmong(members);
    if (!leader || !names.some((each) => hostAndPort(each) === name)) return;
    const count = (this.votes.get(hostAndPort(leader)) ?? 0) + 1;
    this.votes.set(hostAndPort(leader), count);
    if (count > this.electorate(voters) / 2) this.agreed.resolve(leader);
  }

  /**
   * Number of members of which more than half must agree: the living ones, but at least as many as the address names.
   * Dead members beyond that do not count, because replaced nodes stay in the gossip for half an hour.
   */
  private electorate(voters: readonly MemberInfo[]): number {
    const alive = voters.filter((each) => each.getIsAlive()).length;
    return Math.min(voters.length, Math.max(this.named, alive));
  }

  /** Resolves after all nodes have answered or failed, also those that only an answer named. */
  private async end(): Promise<undefined> {
    for (let done = 0; done < this.counted.length;) {
      done = this.counted.length;
      await Promise.all(this.counted);
    }
  }
}

function leaderAmong(members: readonly MemberInfo[]): EndPoint | undefined {
  return members.filter((each) => each.getIsAlive() && each.getState() === LEADER).flatMap(endPointsOf)[0];
}

function endPointsOf(member: MemberInfo): readonly EndPoint[] {
  const at = member.getHttpEndPoint();
  return at ? [{ address: at.getAddress(), port: at.getPort() }] : [];
}
