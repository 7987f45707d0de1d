import type { Client } from 'pg';

const BEAT_MS = 2_000;

/**
 * Time without a heartbeat after which Postgres ends a session. It is four heartbeats, because a busy event loop
 * pauses for moments: a session lost by mistake loses its lock, and the guarded work starts again.
 */
export const SESSION_TIMEOUT_SECONDS = 8;

/**
 * Makes Postgres end this session, and release its locks, once the process that holds it freezes or is unreachable.
 * Later statements of that process fail, even after it wakes. Heartbeats keep the session while the event loop runs.
 * Rejects if the server cannot be reached.
 */
export async function endWhenSilent(client: Client): Promise<void> {
  // A frozen process acknowledges packets until its buffers are full; then only the TCP user timeout ends a sending
  // session. A process frozen within a transaction keeps row locks that restricting commands wait for.
  await client.query(`
    SET idle_session_timeout = '${SESSION_TIMEOUT_SECONDS}s'; SET idle_in_transaction_session_timeout = '2s';
    SET tcp_user_timeout = '${SESSION_TIMEOUT_SECONDS}s'; SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2`);
  let isPending = false;
  const heartbeat = setInterval(() => {
    // A transaction has its own, shorter timeout, which a heartbeat would postpone.
    if (isPending || client.getTransactionStatus() !== 'I') return;
    isPending = true;
    client
      .query('SELECT')
      .catch(() => undefined)
      .finally(() => (isPending = false));
  }, BEAT_MS);
  heartbeat.unref();
  client.once('end', () => clearInterval(heartbeat));
}
