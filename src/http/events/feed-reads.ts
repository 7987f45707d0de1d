import { feedOf } from '../../../projections/feed/feed.read-model.js';
import type { FeedPage } from '../../../projections/feed/feed.read-model.js';
import { sharedFeed } from '../../../projections/feed/shared-feed.read-model.js';
import type { ProtectedReads, Read, ReadRequest, ReadRule } from '../admission/protected-reads.js';
import type { SharedAnswers, SharedReads, SharedRequest } from '../admission/shared-reads.js';

/** Who may learn what changes. */
export const mayListen = { scope: 'read', anonymous: true, budget: 'events' } as const satisfies ReadRule;

/** Events in one message of a stream that is read for by itself, at the most but for those of one position. */
const STREAMED = 50;

/** Changes that are looked through for many callers at once, times the callers: what one statement may take. */
const LOOKED_AT = 50_000;
const CHANGES = { least: 50, most: 1_000 };

/** What streams are told. */
export class FeedReads {
  constructor(
    private readonly single: Pick<ProtectedReads, 'read'>,
    private readonly shared: Pick<SharedReads, 'read'>,
  ) {}

  /** Of one caller. Undefined: from now on. @throws {HttpRefusal} the caller may not listen, or nobody can be told now. */
  read(request: ReadRequest, cursor: number | undefined, limit = STREAMED): Promise<Read<FeedPage>> {
    return this.single.read(request, mayListen, feedOf, { cursor, limit });
  }

  /** Of many, in one statement. There may be more than what is told, for all of them. */
  readAll<Request extends SharedRequest>(
    requests: readonly Request[],
  ): Promise<SharedAnswers<Request, FeedPage>> {
    const share = Math.floor(LOOKED_AT / requests.length);
    const most = Math.min(Math.max(share, CHANGES.least), CHANGES.most);
    return this.shared.read(requests, mayListen.scope, sharedFeed, { most });
  }
}
