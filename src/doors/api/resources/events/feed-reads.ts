import { readFeed } from '../../../../../projections/feed/feed.read-model.js';
import type { FeedPage } from '../../../../../projections/feed/feed.read-model.js';
import { sharedFeed } from '../../../../../projections/feed/shared-feed.read-model.js';
import type { ProtectedReads, Read, ReadRequest, ReadRule } from '../../admission/protected-reads.js';
import type { SharedAnswers, SharedReads, SharedRequest } from '../../admission/shared-reads.js';

export const feedAccess = { scope: 'read', anonymous: true, budget: 'events' } as const satisfies ReadRule;

/** Events in one message of a stream that is read alone, and all others at the position of the last one. */
const MAX_EVENTS = 50;

/**
 * Changes that one shared statement scans for all callers together, unless the least number for each (`CHANGES`) is
 * more.
 */
const MAX_SCANNED = 50_000;
const CHANGES = { least: 50, most: 1_000 };

export class FeedReads {
  constructor(
    private readonly single: Pick<ProtectedReads, 'read'>,
    private readonly shared: Pick<SharedReads, 'read'>,
  ) {}

  /**
   * Reads the changes after `cursor` that one caller may see. Undefined: the page is empty, and its cursor is the
   * current position.
   * @throws {HttpRefusal} the caller has no access, or the feed is unavailable.
   */
  read(request: ReadRequest, cursor: number | undefined, limit = MAX_EVENTS): Promise<Read<FeedPage>> {
    return this.single.read(request, feedAccess, readFeed, { cursor, limit });
  }

  /** Reads the feed of many callers in one statement. A page may end before the newest change. */
  readAll<Request extends SharedRequest>(
    requests: readonly Request[],
  ): Promise<SharedAnswers<Request, FeedPage>> {
    const share = Math.floor(MAX_SCANNED / requests.length);
    const most = Math.min(Math.max(share, CHANGES.least), CHANGES.most);
    return this.shared.read(requests, feedAccess.scope, sharedFeed, { most });
  }
}
