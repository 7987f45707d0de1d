import type { Client } from 'pg';

const BEAT_MS = 2_000;

/**
 * Postgres ends a session of which it hears nothing for this long: several beats, since the event loop of a busy process
 * stands still for a moment, and a lock that is lost by mistake costs a new start of whatever was guarded by it.
 */
export const SILENT_SECONDS = 8;

/**
 * Makes Postgres end this session, and with it its locks, once its holder freezes or cannot be reached: nothing that the
 * holder asks for on it is done any more then, not even when it wakes up. As long as the holder's event loop turns, the
 * session stays. Rejects if the server cannot be asked.
 */
export async function endWhenSilent(client: Client): Promise<void> {
  // A frozen process acknowledges packets until its buffers are full: then only the user timeout ends a session that sends.
  // One that freezes within a transaction keeps rows locked, and whoever takes authority away waits for those.
  await client.query(`
    SET idle_session_timeout = '${SILENT_SECONDS}s'; SET idle_in_transaction_session_timeout = '2s';
    SET tcp_user_timeout = '${SILENT_SECONDS}s'; SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2`);
  let isAsking = false;
  const beat = setInterval(() => {
    // In a transaction its own, shorter bound holds, which a beat would put off.
    if (isAsking || client.getTransactionStatus() !== 'I') return;
    isAsking = true;
    client
      .query('SELECT')
      // Whoever works on the session is told by it that it broke.
      .catch(() => undefined)
      .finally(() => (isAsking = false));
  }, BEAT_MS);
  beat.unref();
  client.once('end', () => clearInterval(beat));
}
