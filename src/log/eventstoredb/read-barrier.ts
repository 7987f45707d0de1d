import { NO_STREAM } from '@eventstore/db-client';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { GossipClient } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type { Channel, ServiceError } from '@grpc/grpc-js';
import type { Leadership } from '../event-log.js';
import { streams } from '../streams.js';
import { APPEND_OPTIONS } from './append-options.js';

const GOSSIP_MS = 1_000;

interface Leader {
  readonly client: EventStoreDBClient;
  readonly lost: AbortSignal;
  append(given: Parameters<EventStoreDBClient['appendToStream']>, signal: AbortSignal): Promise<unknown>;
}

/** A connection of the client, until it breaks; the client then opens another by itself. */
interface Link {
  readonly channel: Channel;
  isBroken: boolean;
  /** Undefined: not known yet. */
  isAlone?: boolean | undefined;
}

/**
 * Proves that a node leads: a majority of its cluster takes a write that begins now (the read index of Raft; Ongaro,
 * "Consensus: Bridging Theory and Practice", section 6.4). The write appends no event, and so leaves no stream.
 */
export class ReadBarrier {
  private link: Link | undefined;

  constructor(private readonly leader: Leader) {}

  /** As {@link EventLog.prove}. Rejects with the errors of the client. */
  async prove(signal: AbortSignal): Promise<Leadership | undefined> {
    const link = await this.currentLink();
    link.isAlone ??= await this.isAlone();
    if (link.isAlone && !link.isBroken) return undefined;
    await this.leader.append(
      [streams.barrier(), [], { expectedRevision: NO_STREAM, ...APPEND_OPTIONS }],
      signal,
    );
    return this.leadershipOver(link);
  }

  async leadership(): Promise<Leadership> {
    return this.leadershipOver(await this.currentLink());
  }

  private leadershipOver(link: Link): Leadership {
    const { leader } = this;
    return {
      get holds() {
        return !link.isBroken && !leader.lost.aborted;
      },
    };
  }

  private async currentLink(): Promise<Link> {
    const channel = await this.leader.client['getChannel']();
    if (this.link?.channel === channel && !this.link.isBroken) return this.link;
    const link: Link = { channel, isBroken: false };
    channel.watchConnectivityState(channel.getConnectivityState(false), Infinity, () => {
      link.isBroken = true;
    });
    this.link = link;
    return link;
  }

  /** Undefined: the node did not say, so it must prove that it leads. */
  private async isAlone(): Promise<boolean | undefined> {
    try {
      return (await this.gossip()).getMembersList().length === 1;
    } catch {
      return undefined;
    }
  }

  private async gossip(): Promise<ClusterInfo> {
    const { client } = this.leader;
    const gossip = await client['getGRPCClient'](GossipClient, 'gossip');
    const [metadata, options] = client['callArguments']({ deadline: GOSSIP_MS });
    return new Promise((resolve, reject) => {
      gossip.read(new sharedPb.Empty(), metadata, options, (error: ServiceError | null, info: ClusterInfo) =>
        error ? reject(error) : resolve(info),
      );
    });
  }
}
