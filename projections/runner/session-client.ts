import { Client } from 'pg';

const CONNECT_MS = 5_000;
/** Far above what any statement of ours takes. */
const QUERY_MS = 30_000;
const FIRST_PROBE_MS = 10_000;

/**
 * A connection that keeps a session: a lock, a search path, a subscription to news. It must notice by itself that the
 * other side is frozen or gone without a word. No pooler in transaction mode may stand between.
 */
export function sessionClient(url: string, applicationName: string): Client {
  return new Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: FIRST_PROBE_MS,
  });
}
