import { lookup } from 'node:dns/promises';
import { connect } from 'node:http2';
import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import type { MemberInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { EndPoint } from '@eventstore/db-client';
import type { EventStoreConnection } from '../config/event-store-files.js';

/** What a node gets to answer, unless the address says otherwise, and what the others get after the first. */
const ANSWER_MS = { first: 1_000, others: 100 };
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

/** There is nobody to ask: no node answers, or none leads. */
export class LeaderNotFound extends Error {
  override readonly name = 'LeaderNotFound';
}

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
 * Where the leader of a cluster is: what most of the nodes that answer say. One round. The client's own search is not used:
 * each node that it asks in vain leaves a connection behind that stands once the node is back.
 */
async function findLeader(address: EventStoreConnection): Promise<EndPoint> {
  const nodes = await nodesOf(address);
  const asked = new Map(nodes.map((node) => [nameOf(node), membersKnownTo(node, address)]));
  const answers: MemberInfo[][] = [];
  const all = Promise.allSettled([...asked.values()].map(async (answer) => answers.push(await answer)));
  try {
    await Promise.any(asked.values());
  } catch (error) {
    const [cause] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
    throw new LeaderNotFound('No node of the event store answers.', { cause });
  }
  await Promise.race([all, pause(ANSWER_MS.others)]);
  const leader = mostNamed(answers.flatMap((members) => members.filter(isLeading)));
  if (!leader) throw new LeaderNotFound('The nodes of the event store have no leader.');
  try {
    // One that is frozen is named until the others elect another.
    await (asked.get(nameOf(leader)) ?? membersKnownTo(leader, address));
  } catch (cause) {
    throw new LeaderNotFound('The leader of the event store does not answer.', { cause });
  }
  return leader;
}

const nameOf = ({ address, port }: EndPoint): string => `${address}:${port}`;

interface Node extends EndPoint {
  /** The name that its certificate has, where that is another. */
  readonly servername?: string;
}

/** A name may stand for all nodes of a cluster. */
async function nodesOf({ hosts, discovers }: EventStoreConnection): Promise<readonly Node[]> {
  const [host] = hosts;
  if (!discovers || !host) return hosts;
  try {
    const found = await lookup(host.address, { all: true });
    return found.map(({ address }) => ({ address, port: host.port, servername: host.address }));
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
  const milliseconds = options.gossipTimeout === undefined ? ANSWER_MS.first : options.gossipTimeout * 1_000;
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

const isLeading = (member: MemberInfo): boolean =>
  member.getIsAlive() && member.getState() === gossipPb.MemberInfo.VNodeState.LEADER;

function mostNamed(members: readonly MemberInfo[]): EndPoint | undefined {
  const named = new Map<string, { readonly at: EndPoint; times: number }>();
  for (const member of members) {
    const endpoint = member.getHttpEndPoint();
    if (!endpoint) continue;
    const at = { address: endpoint.getAddress(), port: endpoint.getPort() };
    const entry = named.get(nameOf(at)) ?? { at, times: 0 };
    entry.times += 1;
    named.set(nameOf(at), entry);
  }
  return [...named.values()].toSorted((a, b) => b.times - a.times)[0]?.at;
}
