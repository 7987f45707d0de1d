import { EventStoreDBClient } from '@eventstore/db-client';
import type { EndPoint } from '@eventstore/db-client';
import type { EventStoreConnection } from '../../config/event-store-files.js';

/**
 * Connects at the first call. Built without the connection string, which the client would print in its debug output.
 */
export function connect(
  { credentials, options, files }: EventStoreConnection,
  endpoint: EndPoint,
): EventStoreDBClient {
  const channel = { insecure: options.tls === false, ...files };
  return new EventStoreDBClient({ ...options, endpoint }, channel, credentials);
}
