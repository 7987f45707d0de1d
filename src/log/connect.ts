import { EventStoreDBClient } from '@eventstore/db-client';
import type { EventStoreConnection } from '../config/event-store-files.js';

/**
 * A client that connects at its first call. Made without the connection string, which the client would print where it
 * debugs, and of which it takes but the first host of several after `+discover`.
 */
export function connect({
  hosts,
  discovers,
  credentials,
  options,
  files,
}: EventStoreConnection): EventStoreDBClient {
  const [host] = hosts;
  if (!host) throw new Error('an address of an event store has no host');
  const channel = { insecure: options.tls === false, ...files };
  if (hosts.length > 1)
    return new EventStoreDBClient({ ...options, endpoints: [...hosts] }, channel, credentials);
  return discovers
    ? new EventStoreDBClient({ ...options, discover: host }, channel, credentials)
    : new EventStoreDBClient({ ...options, endpoint: host }, channel, credentials);
}
