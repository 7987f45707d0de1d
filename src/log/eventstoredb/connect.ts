import { EventStoreDBClient } from '@eventstore/db-client';
import type { EndPoint } from '@eventstore/db-client';
import type { EventStoreConnection } from '../../base/config/event-store-files.js';

/**
 * Returns a client of one node; it connects at its first call. Built without the connection string, which the client
 * would print, password included, in its debug output.
 */
export function connect(
  { credentials, options, files }: EventStoreConnection,
  endpoint: EndPoint,
): EventStoreDBClient {
  const channel = { insecure: options.tls === false, ...files };
  return new EventStoreDBClient({ ...options, endpoint }, channel, credentials);
}
