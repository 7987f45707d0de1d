import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import type { MemberInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { EndPoint } from '@eventstore/db-client';
import { LeaderNotFound } from './client-errors.js';

const { LEADER, MANAGER, PREREADONLYREPLICA, READONLYLEADERLESS, READONLYREPLICA } =
  gossipPb.MemberInfo.VNodeState;
const nonVoterStates: ReadonlySet<number> = new Set([
  MANAGER,
  PREREADONLYREPLICA,
  READONLYLEADERLESS,
  READONLYREPLICA,
]);

/** Reads the gossip of a node: the members of the cluster as that node sees them. */
export type ReadGossip<Node extends EndPoint> = (node: Node | EndPoint) => Promise<readonly MemberInfo[]>;

export const hostAndPort = ({ address, port }: EndPoint): string => `${address}:${port}`;

/**
 * One round of questions to the nodes that an address names and to the members that these name. Members vote under
 * the names that the cluster has for them: by another name, one node would have two votes.
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
   * @returns The leader that a majority names, as soon as it does: a node that resumes from a freeze may still name
   * itself.
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

  /** The answer of this node, asked only once. */
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

  /** Dead members do not count unless named: replaced nodes stay in the gossip for half an hour. */
  private electorate(voters: readonly MemberInfo[]): number {
    const alive = voters.filter((each) => each.getIsAlive()).length;
    return Math.min(voters.length, Math.max(this.named, alive));
  }

  /** Resolves after all answers. An answer may add nodes to ask. */
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
