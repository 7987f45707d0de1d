import { eventsAfter, followFrom } from '../../../projections/audit/follow.read-model.js';
import type { FollowCursor } from '../../../projections/audit/follow.read-model.js';
import type { AuditSearch } from '../../../projections/audit/audit.read-model.js';
import { HttpRefusal } from '../../server/errors.js';
import { followCursorText } from './cursors.js';
import { auditProgress } from './progress.js';
import { resolveSearch } from './resolve.js';
import { searchText } from './search-query.js';
import type { TypedSearch } from './search-query.js';
import { entriesOf, waitForPosts } from './search.js';
import type { AuditAnswer, AuditStores } from './search.js';

export interface FollowedPage {
  readonly search: TypedSearch;
  /** Undefined: from the begin of the search, or without one from now on. */
  readonly after: FollowCursor | 'none' | undefined;
  readonly limit: number;
  readonly withTexts: boolean;
}

/**
 * The next events in the order of the log. `next`: the cursor to go on from. `look`: records it, before the answer.
 * @throws {HttpRefusal} `recovery_publication_changed`: the log no longer has the event of the cursor. Those of
 * {@link resolveSearch}.
 */
export async function followAudit(
  stores: AuditStores,
  { search: typed, after, limit, withTexts }: FollowedPage,
  look: (search: AuditSearch) => Promise<void>,
): Promise<AuditAnswer> {
  const progress = await auditProgress(stores.pool, stores.log);
  const search = await resolveSearch(stores, typed);
  const from = after ?? (await followFrom(stores.pool, search.since));
  const { events, cursor } = await eventsAfter(stores.pool, search, from, limit);
  if (cursor === 'unknown' && from !== 'none' && !isBefore(progress, from))
    throw new HttpRefusal(
      'recovery_publication_changed',
      'The audit has no such event: the log was replaced. Begin again with since:.',
    );
  await look(search);
  if (withTexts) await waitForPosts(stores, events);
  const next = followCursorText(cursor === 'unknown' ? from : cursor);
  return { ...(await entriesOf(stores, events, withTexts)), ...progress, q: searchText(search), next };
}

/** The audit is being filled, and may reach the event yet. */
const isBefore = (
  { position, lag }: Awaited<ReturnType<typeof auditProgress>>,
  cursor: FollowCursor,
): boolean => lag !== 0 && (position ?? -1) < Number(cursor.position);
