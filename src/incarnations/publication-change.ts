import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { endSession, sessionClient } from '../store/session-client.js';

const LOOK_AGAIN_MS = 1_000;

/** What a group stops at: what is published and whether it may be read, and how far groups of their own are. */
const standingSql = `
  SELECT coalesce((SELECT incarnation || ' ' || status FROM recovery.publication), '') || (
    SELECT coalesce(string_agg(format('%s %s', group_name, applied_event_id), ',' ORDER BY group_name), '')
    FROM recovery.checkpoint WHERE group_name = $1) AS standing`;

/**
 * Resolves when what a stopped group stands on is changed, as by an operator's recovery, or when `signal` aborts. While Postgres
 * is away nothing is.
 */
export async function isChanged(databaseUrl: string, group: string, signal: AbortSignal): Promise<void> {
  let before: string | undefined;
  while (!signal.aborted) {
    const now = await standing(databaseUrl, group).catch(() => undefined);
    if (now !== undefined && before !== undefined && now !== before) return;
    before ??= now;
    await pause(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function standing(databaseUrl: string, group: string): Promise<string | undefined> {
  const client: Client = sessionClient(databaseUrl, 'plaza-projector');
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ standing: string }>(standingSql, [group]);
    return rows[0]?.standing;
  } finally {
    await endSession(client);
  }
}
