import { endSession, sessionClient } from '../../src/base/store/session-client.js';
import { sleep } from '../../src/base/support/sleep.js';

const POLL_MS = 1_000;

const stateSql = `
  SELECT coalesce((SELECT incarnation || ' ' || status FROM recovery.publication), '') || (
    SELECT coalesce(string_agg(format('%s %s', group_name, applied_event_id), ',' ORDER BY group_name), '')
    FROM recovery.checkpoint WHERE group_name = $1) AS standing`;

/**
 * Resolves after a change of the publication or of the group's checkpoint, as by a recovery, or when `signal`
 * aborts. A Postgres that is down is no change.
 */
export async function waitForPublicationChange(
  databaseUrl: string,
  group: string,
  signal: AbortSignal,
): Promise<void> {
  let before: string | undefined;
  while (!signal.aborted) {
    const now = await readState(databaseUrl, group).catch(() => undefined);
    if (now !== undefined && before !== undefined && now !== before) return;
    before ??= now;
    await sleep(POLL_MS, signal);
  }
}

async function readState(databaseUrl: string, group: string): Promise<string | undefined> {
  const client = sessionClient(databaseUrl, 'plaza-projector');
  try {
    await client.connect();
    const { rows } = await client.query<{ standing: string }>(stateSql, [group]);
    return rows[0]?.standing;
  } finally {
    await endSession(client);
  }
}
