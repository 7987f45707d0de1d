import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { rounded } from '../load.js';
import { published } from '../published.js';
import { casesOf } from '../reads/cases.js';
import { settled } from '../settled.js';
import type { Caller, Read } from './requests.js';
import { followedByCurious } from './society.js';
import type { Extent } from './society.js';

/** The same read of one caller, many times. */
export function repeated(name: string, { token }: Caller, count: number): readonly Read[] {
  const read = casesOf().find((each) => each.name === name);
  if (!read) throw new Error(`there is no read ${name}`);
  return Array.from({ length: count }, () => ({ token, method: 'GET', path: read.path, read }));
}

/**
 * Makes all whom `curious` follows fan-out-on-read authors, as a lower FAN_OUT_THRESHOLD would: with the default, a
 * network of this extent has hardly a hundred.
 */
export async function mergeFollowedByCurious(pool: Pool, extent: Extent): Promise<void> {
  const { schemaName } = await published(pool);
  await pool.query(
    `INSERT INTO "${schemaName}".merged_author (actor_id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING`,
    [followedByCurious(extent)],
  );
}

/** From the request to mark a whole inbox as read, in seconds. */
export interface MarkSeconds {
  /** Until its page shows no unread entry. */
  readonly markVisible: number;
  /** Until no step of it is left. */
  readonly markSettled: number;
}

const POLL_MS = 5;

/** The mark may become visible long after an answer that gave up waiting for it. */
export async function markWholeInbox(baseUrl: string, pool: Pool, { token }: Caller): Promise<MarkSeconds> {
  const begun = performance.now();
  const seconds = () => rounded((performance.now() - begun) / 1_000);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ intentId: randomUUID(), upTo: Date.now() });
  const marked = await fetch(`${baseUrl}/api/inbox/read`, { method: 'POST', headers, body });
  if (![200, 503].includes(marked.status)) throw new Error(`a mark was answered ${marked.status}`);
  for (;;) {
    const response = await fetch(`${baseUrl}/api/inbox?limit=1`, { headers });
    const { unread } = (await response.json()) as { unread?: number };
    if (unread === 0) break;
    await pause(POLL_MS);
  }
  const markVisible = seconds();
  await settled(pool);
  return { markVisible, markSettled: seconds() };
}
