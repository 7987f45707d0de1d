import { connect } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { parseConnectionString } from '@eventstore/db-client/dist/Client/parseConnectionString.js';

/** What a node gets to answer, and what the others get after the first. */
const ANSWER_MS = { first: 1_000, others: 100 };
const PAUSE_MS = 200;
/** Seconds, of which the client's own five are more than an election takes. */
const GOSSIP_TIMEOUT = 1;
/** Scheme, user and password, hosts, options: as the client parts them. */
const PARTS = /^([^:]+:\/\/)([^:]+:[^@]+@)?([^?]*)\??(.*)$/s;

interface Host {
  readonly address: string;
  readonly port: number;
}

/**
 * The nodes that a connection string names. The client looks for the leader among them, one round at a time: whenever it
 * asks a node that is away, it leaves something behind that connects when the node is back, and stays.
 */
export class Nodes {
  /** Milliseconds between two rounds. */
  readonly pause: number;
  private readonly hosts: readonly Host[];
  private readonly isByName: boolean;
  private readonly scheme: 'http' | 'https';
  private readonly before: string;
  private readonly after: string;

  /** Throws what the client says of a connection string that it cannot read. */
  constructor(url: string) {
    const { hosts, dnsDiscover, tls, discoveryInterval, gossipTimeout } = parseConnectionString(url);
    const [, protocol = '', credentials = '', , options = ''] = PARTS.exec(url.trim()) ?? [];
    this.hosts = hosts;
    this.isByName = dnsDiscover;
    this.scheme = tls === false ? 'http' : 'https';
    this.pause = discoveryInterval ?? PAUSE_MS;
    this.before = protocol + credentials;
    const given = options.split('&').filter((each) => each !== '' && !/^\s*(max[_-]?)?discover/i.test(each));
    const timeout = gossipTimeout === undefined ? [`gossipTimeout=${GOSSIP_TIMEOUT}`] : [];
    this.after = [...given, 'maxDiscoverAttempts=1', 'discoveryInterval=1', ...timeout].join('&');
  }

  /** Whether another node may answer where one does not. */
  get areMany(): boolean {
    return this.isByName || this.hosts.length > 1;
  }

  /** The connection string with all of them. */
  get all(): string {
    return this.naming(this.hosts);
  }

  /** The connection string with those alone that answer now; undefined: none does. A frozen one takes connections, and no more. */
  async answering(): Promise<string | undefined> {
    const found: Host[] = [];
    const asked = this.hosts.map((host) => answers(`${this.scheme}://${host.address}:${host.port}`));
    const listed = asked.map((answer, i) => answer.then(() => found.push(this.hosts[i]!)));
    await Promise.any(listed).catch(() => undefined);
    if (found.length === 0) return undefined;
    await Promise.race([Promise.allSettled(listed), pause(ANSWER_MS.others)]);
    return this.naming(found);
  }

  private naming(hosts: readonly Host[]): string {
    return `${this.before}${hosts.map(({ address, port }) => `${address}:${port}`).join(',')}?${this.after}`;
  }
}

/** Resolves when the node speaks HTTP/2. It is told nothing, so it need not prove who it is. */
async function answers(origin: string): Promise<void> {
  const session = connect(origin, { rejectUnauthorized: false });
  const timer = setTimeout(() => session.destroy(), ANSWER_MS.first);
  try {
    await new Promise<void>((resolve, reject) => {
      session.once('remoteSettings', () => resolve());
      session.once('error', reject);
      session.once('close', () => reject(new Error('closed')));
    });
  } finally {
    clearTimeout(timer);
    session.destroy();
  }
}
