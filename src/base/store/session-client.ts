import type { Client } from 'pg';
import { endsWithin } from '../support/sleep.js';
import { StoreClient } from './store-client.js';

const CONNECT_MS = 5_000;
const QUERY_MS = 30_000;
const FIRST_PROBE_MS = 10_000;
const CLOSE_MS = 1_000;

/**
 * Returns a client, not connected yet, for a lock, a search path or LISTEN: all three belong to a session of
 * Postgres. So `url` must not lead to a pooler in transaction mode. The client detects a frozen or unreachable server
 * by its timeouts and keepalive. `queryMs`: limit of a statement; Infinity: none. `pipeline`: a statement does not wait for
 * the answers to those before it; false for a session with COPY, which cannot do so.
 */
export function sessionClient(
  url: string,
  applicationName: string,
  { queryMs = QUERY_MS, pipeline = true } = {},
): Client {
  return new StoreClient({
    connectionString: url,
    application_name: applicationName,
    pipeline,
    connectionTimeoutMillis: CONNECT_MS,
    ...(queryMs !== Infinity && { query_timeout: queryMs }),
    keepAlive: true,
    keepAliveInitialDelayMillis: FIRST_PROBE_MS,
  });
}

/**
 * Ends the session, and so releases its locks. Closes the socket if the server does not answer within a second. Never
 * rejects.
 */
export async function endSession(client: Client): Promise<void> {
  const ended = client.end().catch(() => undefined);
  if (await endsWithin(CLOSE_MS, ended)) return;
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}
