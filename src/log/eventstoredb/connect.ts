import { EventStoreDBClient } from '@eventstore/db-client';
import type { EndPoint } from '@eventstore/db-client';
import type { EventStoreConnection } from '../../config/event-store-files.js';

/**
 * A client of one node, which connects at its first call. Made without the connection string, which the client would print
 * where it debugs.
 */
export function connect(
  { credentials, options, files }: EventStoreConnection,
  endpoint: EndPoint,
): EventStoreDBClient {
  const channel = { insecure: options.tls === false, ...files };
  return new EventStoreDBClient({ ...options, endpoint }, channel, credentials);
}
