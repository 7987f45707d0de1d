import { lookup } from 'node:dns/promises';
import { connect } from 'node:http2';
import { isIP } from 'node:net';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import type { MemberInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { EndPoint } from '@eventstore/db-client';
import type { EventStoreConnection } from '../../base/config/event-store-files.js';
import { LeaderNotFound } from '../client-errors.js';
import { LeaderVote } from './leader-vote.js';

const ANSWER_MS = 1_000;
const LONGEST_ANSWER_BYTES = 64 * 1024;
/**
 * Length of the prefix of a gRPC message: a flag, and four bytes with the length of the message (gRPC over HTTP/2,
 * "Length-Prefixed-Message").
 */
const PREFIX_BYTES = 5;
const READ_REQUEST = {
  ':method': 'POST',
  ':path': '/event_store.client.gossip.Gossip/Read',
  'content-type': 'application/grpc',
  te: 'trailers',
};

export const isClusterAddress = ({ hosts, discovers }: EventStoreConnection): boolean =>
  discovers || hosts.length > 1;

/**
 * @returns The node to connect to: the leader of a cluster; or the only host of the address, without asking for its
 * role, because it may be a proxy.
 * @throws {LeaderNotFound}
 */
export async function nodeToAsk(address: EventStoreConnection): Promise<EndPoint> {
  const [host] = address.hosts;
  return host && !isClusterAddress(address) ? host : findLeader(address);
}

/**
 * Asks the nodes once for the leader, and returns it if it answers. The discovery of the client library is not used:
 * each unreachable node leaves a connection behind, which opens once the node returns.
 */
async function findLeader(address: EventStoreConnection): Promise<EndPoint> {
  const vote = new LeaderVote(await resolveNodes(address), (node: Node) => readGossip(node, address));
  const leader = await vote.leader();
  try {
    await vote.ask(leader);
  } catch (cause) {
    throw new LeaderNotFound('The leader of the event store does not answer.', { cause });
  }
  return leader;
}

interface Node extends EndPoint {
  readonly servername?: string;
}

async function resolveNodes({ hosts, discovers }: EventStoreConnection): Promise<readonly Node[]> {
  if (!discovers) return hosts;
  const nodes = hosts.map(async ({ address: servername, port }) =>
    (await lookup(servername, { all: true })).map(({ address }) => ({ address, port, servername })),
  );
  try {
    return (await Promise.all(nodes)).flat();
  } catch (cause) {
    throw new LeaderNotFound('The host name of the event store does not resolve.', { cause });
  }
}

async function readGossip(
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
  session.on('error', () => undefined);
  const milliseconds = options.gossipTimeout === undefined ? ANSWER_MS : options.gossipTimeout * 1_000;
  try {
    const call = session.request(READ_REQUEST, { signal: AbortSignal.timeout(milliseconds) });
    call.end(Buffer.alloc(PREFIX_BYTES));
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of call as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > LONGEST_ANSWER_BYTES)
        throw new Error(
          `the vote of a cluster node is ignored: its gossip response exceeds ${LONGEST_ANSWER_BYTES} bytes`,
        );
      chunks.push(chunk);
    }
    const message = Buffer.concat(chunks).subarray(PREFIX_BYTES);
    if (message.length === 0)
      throw new Error('the vote of a cluster node is ignored: its gossip response is empty');
    return gossipPb.ClusterInfo.deserializeBinary(message).getMembersList();
  } finally {
    session.destroy();
  }
}
