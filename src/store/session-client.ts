import { Client } from 'pg';
import { endsWithin } from '../support/sleep.js';

const CONNECT_MS = 5_000;
const QUERY_MS = 30_000;
const FIRST_PROBE_MS = 10_000;
const CLOSE_MS = 1_000;

/**
 * Returns a client with a session: for a lock, a search path, or LISTEN. It must detect a frozen or vanished server by
 * itself. No pooler in transaction mode may stand between. `queryMs`: statement timeout; Infinity: none.
 */
export function sessionClient(url: string, applicationName: string, queryMs = QUERY_MS): Client {
  return new Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_MS,
    ...(queryMs !== Infinity && { query_timeout: queryMs }),
    keepAlive: true,
    keepAliveInitialDelayMillis: FIRST_PROBE_MS,
  });
}

/** Ends the session and its locks; closes the socket if the server does not answer. Never rejects. */
export async function endSession(client: Client): Promise<void> {
  const ended = client.end().catch(() => undefined);
  if (await endsWithin(CLOSE_MS, ended)) return;
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}
