import type { Pool } from 'pg';
import { z } from 'zod';
import { newestEvents } from '../../../projections/audit/audit.read-model.js';
import type { AuditCursor, AuditedEvent, AuditSearch } from '../../../projections/audit/audit.read-model.js';
import type { PublicPosts } from '../../doors/api/admission/public-posts.js';
import type { PositionListener } from '../../base/store/position-listener.js';
import { LogUnavailable } from '../../log/event-log.js';
import type { EventLog } from '../../log/event-log.js';
import { searchCursorText } from './cursors.js';
import { auditEntry, entryOf } from './entry.js';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { operatorNames } from '../desk/identity/operator-names.js';
import { listOf } from '../desk/schemas.js';
import { auditProgress, shownProgress, waitForAudit } from './progress.js';
import { resolveSearch } from './resolve.js';
import { searchText } from './search-query.js';
import type { TypedSearch } from './search-query.js';
import { readTexts } from './texts.js';
import type { AuditedText } from './texts.js';

export interface AuditStores {
  readonly pool: Pool;
  readonly store: AuthorityStore;
  readonly log: EventLog;
  readonly publicPosts: PublicPosts;
  readonly positions: PositionListener;
}

const names = z.record(z.string(), z.string());

export const auditAnswer = shownProgress.extend({
  events: listOf(auditEntry),
  applications: names,
  operators: names,
  /** False: the log does not answer, so texts are missing. */
  hasTexts: z.boolean(),
  /** The search with ids and absolute times, which later pages send: a name may be another one's by then. */
  q: z.string(),
  /** Cursor of the next page, which may be short or empty; null: this is the last one. */
  next: z.string().nullable(),
});

export type AuditAnswer = z.infer<typeof auditAnswer>;

export interface SearchedPage {
  readonly search: TypedSearch;
  readonly before: AuditCursor | undefined;
  readonly limit: number;
  readonly withTexts: boolean;
  /** Waits up to this time for every event that the log has now. Undefined: answers at once. */
  readonly waitMs?: number | undefined;
}

/**
 * One page of the search that command line and console share, newest first. `look`: records it, before the answer.
 * @throws {HttpRefusal} of {@link resolveSearch}
 */
export async function searchAudit(
  stores: AuditStores,
  { search, before, limit, withTexts, waitMs }: SearchedPage,
  look: (search: AuditSearch) => Promise<void>,
): Promise<AuditAnswer> {
  const { pool, log } = stores;
  const head = waitMs === undefined ? undefined : await waitForAudit(stores, waitMs);
  // First: the page then has all that the progress claims.
  const progress = await auditProgress(pool, log, head);
  const resolved = await resolveSearch(stores, search);
  const { events, next } = await newestEvents(pool, resolved, before, limit);
  await look(resolved);
  if (withTexts && waitMs !== undefined) await waitForPosts(stores, events);
  return {
    ...(await entriesOf(stores, events, withTexts)),
    ...progress,
    q: searchText(resolved),
    next: next ? searchCursorText(next) : null,
  };
}

const MAX_WAIT_MS = 2_000;

/** A post that the read models do not show yet would count as not public. */
export async function waitForPosts(
  { positions }: Pick<AuditStores, 'positions'>,
  events: readonly AuditedEvent[],
): Promise<void> {
  const ofPosts = events.filter(({ type }) => type.startsWith('post.')).map(({ position }) => position);
  const newest = ofPosts.reduce((most, each) => (each > most ? each : most), -1n);
  await positions.waitFor(newest, MAX_WAIT_MS);
}

export async function entriesOf(
  { pool, store, log, publicPosts }: AuditStores,
  events: readonly AuditedEvent[],
  withTexts: boolean,
): Promise<Pick<AuditAnswer, 'events' | 'applications' | 'operators' | 'hasTexts'>> {
  const [texts, applications, operators] = await Promise.all([
    withTexts ? textsIfReadable(log, publicPosts, events) : new Map<string, AuditedText>(),
    applicationNames(
      pool,
      events.map(({ appId }) => appId),
    ),
    operatorNames(
      store,
      events.map(({ operatorId }) => operatorId),
    ),
  ]);
  return {
    events: events.map((event) => entryOf(event, texts ?? new Map<string, AuditedText>())),
    applications,
    operators,
    hasTexts: texts !== undefined,
  };
}

/** Undefined: the log does not answer. */
async function textsIfReadable(
  log: EventLog,
  publicPosts: PublicPosts,
  events: readonly AuditedEvent[],
): Promise<ReadonlyMap<string, AuditedText> | undefined> {
  try {
    return await readTexts(log, publicPosts, events);
  } catch (error) {
    if (error instanceof LogUnavailable) return undefined;
    throw error;
  }
}

async function applicationNames(
  pool: Pool,
  found: readonly (string | null)[],
): Promise<AuditAnswer['applications']> {
  const ids = [...new Set(found.flatMap((id) => id ?? []))];
  if (ids.length === 0) return {};
  const { rows } = await pool.query<{ id: string; name: string }>(
    'SELECT app_id AS id, name FROM authority.application WHERE app_id = ANY ($1)',
    [ids],
  );
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]));
}
