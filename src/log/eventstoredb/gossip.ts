import { lookup } from 'node:dns/promises';
import { connect } from 'node:http2';
import { isIP } from 'node:net';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import type { MemberInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { EndPoint } from '@eventstore/db-client';
import type { EventStoreConnection } from '../../config/event-store-files.js';
import { LeaderNotFound } from './client-errors.js';

/** How long a node may take to answer, unless the address says otherwise. */
const ANSWER_MS = 1_000;
/** Of a cluster of a hundred nodes. */
const LONGEST_ANSWER_BYTES = 64 * 1024;
/** Of a gRPC message: a flag, and four bytes of its length (the protocol's "Length-Prefixed-Message"). */
const PREFIX_BYTES = 5;
const READ = {
  ':method': 'POST',
  ':path': '/event_store.client.gossip.Gossip/Read',
  'content-type': 'application/grpc',
  te: 'trailers',
};

/** Whether another node may answer where one does not. */
export const isCluster = ({ hosts, discovers }: EventStoreConnection): boolean =>
  discovers || hosts.length > 1;

/**
 * The node to connect to: the leader of a cluster. Of one host nothing has to be known; it may be a server by itself, or
 * behind something that passes calls on. @throws {LeaderNotFound}
 */
export async function nodeToAsk(address: EventStoreConnection): Promise<EndPoint> {
  const [host] = address.hosts;
  return host && !isCluster(address) ? host : findLeader(address);
}

/**
 * Where the leader of a cluster is: what most of its nodes say. One round. The client's own search is not used:
 * each node that it asks in vain leaves a connection behind that stands once the node is back.
 */
async function findLeader(address: EventStoreConnection): Promise<EndPoint> {
  const nodes = await nodesOf(address);
  const asked = new Map(nodes.map((node) => [nameOf(node), membersKnownTo(node, address)]));
  const leader = await namedByMost([...asked.values()]);
  try {
    // One that is frozen is named until the others elect another.
    await (asked.get(nameOf(leader)) ?? membersKnownTo(leader, address));
  } catch (cause) {
    throw new LeaderNotFound('The leader of the event store does not answer.', { cause });
  }
  return leader;
}

/**
 * The leader that more than half of all nodes name, as soon as they do: one that woke up may still name itself. All are those
 * that were asked, or those that there are, where that is less.
 */
async function namedByMost(asked: readonly Promise<readonly MemberInfo[]>[]): Promise<EndPoint> {
  const { promise: agreed, resolve } = Promise.withResolvers<EndPoint>();
  const votes = new Map<string, number>();
  const counted = asked.map(async (answer) => {
    const members = await answer;
    const leader = leaderAmong(members);
    if (!leader) return;
    const count = (votes.get(nameOf(leader)) ?? 0) + 1;
    votes.set(nameOf(leader), count);
    if (count > Math.min(asked.length, members.length) / 2) resolve(leader);
  });
  const found = await Promise.race([agreed, Promise.allSettled(counted)]);
  if (!Array.isArray(found)) return found;
  const failed = found.filter((each) => each.status === 'rejected');
  if (failed.length === found.length)
    throw new LeaderNotFound('No node of the event store answers.', { cause: failed[0]?.reason });
  throw new LeaderNotFound('Most nodes of the event store name no leader.');
}

const nameOf = ({ address, port }: EndPoint): string => `${address}:${port}`;

interface Node extends EndPoint {
  /** The name that its certificate has, where that is another. */
  readonly servername?: string;
}

/** A name may stand for all nodes of a cluster. */
async function nodesOf({ hosts, discovers }: EventStoreConnection): Promise<readonly Node[]> {
  if (!discovers) return hosts;
  const nodes = hosts.map(async ({ address: servername, port }) =>
    (await lookup(servername, { all: true })).map(({ address }) => ({ address, port, servername })),
  );
  try {
    return (await Promise.all(nodes)).flat();
  } catch (cause) {
    throw new LeaderNotFound('The name of the event store is not found.', { cause });
  }
}

async function membersKnownTo(
  { address, port, servername = address }: Node,
  { options, files }: EventStoreConnection,
): Promise<MemberInfo[]> {
  const session = connect(`${options.tls === false ? 'http' : 'https'}://${servername}:${port}`, {
    host: address,
    ...(isIP(servername) === 0 && { servername }),
    ca: files.rootCertificate,
    cert: files.userCertFile,
    key: files.userKeyFile,
  });
  // The call ends with it.
  session.on('error', () => undefined);
  const milliseconds = options.gossipTimeout === undefined ? ANSWER_MS : options.gossipTimeout * 1_000;
  try {
    const call = session.request(READ, { signal: AbortSignal.timeout(milliseconds) });
    call.end(Buffer.alloc(PREFIX_BYTES));
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of call as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > LONGEST_ANSWER_BYTES) throw new Error('too long an answer to a question for gossip');
      chunks.push(chunk);
    }
    const message = Buffer.concat(chunks).subarray(PREFIX_BYTES);
    if (message.length === 0) throw new Error('no answer to a question for gossip');
    return gossipPb.ClusterInfo.deserializeBinary(message).getMembersList();
  } finally {
    session.destroy();
  }
}

function leaderAmong(members: readonly MemberInfo[]): EndPoint | undefined {
  const { LEADER } = gossipPb.MemberInfo.VNodeState;
  const at = members.find((each) => each.getIsAlive() && each.getState() === LEADER)?.getHttpEndPoint();
  return at && { address: at.getAddress(), port: at.getPort() };
}
