import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

const CONNECT_MS = 5_000;
/** Far above what any statement of ours takes. */
const QUERY_MS = 30_000;
const FIRST_PROBE_MS = 10_000;
const CLOSE_MS = 1_000;

/**
 * A connection that keeps a session: a lock, a search path, a subscription to news. It must notice by itself that the
 * other side is frozen or gone without a word. No pooler in transaction mode may stand between. `queryMs`: how long a
 * statement may take, Infinity: as long as it takes.
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

/** Ends the session, and with it its locks. A server that does not answer is not waited for. Never rejects. */
export async function endSession(client: Client): Promise<void> {
  const ended = client.end().catch(() => undefined);
  const late = pause(CLOSE_MS, 'late', { ref: false });
  if ((await Promise.race([ended, late])) !== 'late') return;
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}
