import { EventStoreDBClient } from '@eventstore/db-client';
import type { EventStoreConnection } from '../config/event-store-files.js';

/**
 * What the client's own defaults get wrong for a process that has to outlive its event store: it gives up after ten rounds
 * of looking for a node, with a rejection that nobody handles, and waits five seconds for a node that is frozen.
 * `gossipTimeout` is in whole seconds.
 */
const DEFAULTS = { maxDiscoverAttempts: 1_000_000_000, discoveryInterval: 200, gossipTimeout: 1 };

/**
 * A client that connects at its first call. Made without the connection string, which the client would print where it
 * debugs, and of which it takes but the first host of several after `+discover`.
 */
export function connect(address: EventStoreConnection): EventStoreDBClient {
  const client = newClient(address);
  const handle = client['handleError'];
  // Where its search for a node ends in vain, whoever asks next is told so; this promise of the client has nobody.
  client['handleError'] = (failed, error) => handle(failed, error).catch(() => undefined);
  return client;
}

function newClient({
  hosts,
  discovers,
  credentials,
  options,
  files,
}: EventStoreConnection): EventStoreDBClient {
  const [host] = hosts;
  if (!host) throw new Error('an address of an event store has no host');
  const settings = { ...DEFAULTS, ...options };
  const channel = { insecure: options.tls === false, ...files };
  if (hosts.length > 1)
    return new EventStoreDBClient({ ...settings, endpoints: [...hosts] }, channel, credentials);
  return discovers
    ? new EventStoreDBClient({ ...settings, discover: host }, channel, credentials)
    : new EventStoreDBClient({ ...settings, endpoint: host }, channel, credentials);
}
