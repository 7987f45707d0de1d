import { presentPosts } from '../posts/post.sql.js';
import type { PostColumns } from '../posts/post.sql.js';
import type { FeedEvent, FeedSubject } from './feed-event.js';

export interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** All changes up to this position are delivered, or are not for this caller. */
  readonly cursor: number;
  /** True: the changes since the caller's cursor are not available, and the caller must reconcile. */
  readonly replace: boolean;
}

interface Row {
  readonly position: number;
  readonly kind: FeedSubject['kind'];
  readonly at: number;
  readonly actorId: string;
  readonly postId: string | null;
  readonly subject: object | null;
}

interface PageJson extends Pick<FeedPage, 'cursor' | 'replace'> {
  readonly events: readonly Row[];
  readonly posts: PostColumns;
}

export function presentFeed(json: unknown): FeedPage {
  const { events, posts, cursor, replace } = json as PageJson;
  const byId = new Map(presentPosts(posts).map((post) => [post.id, post]));
  const subjectOf = ({ kind, postId, subject }: Row) => {
    if (kind === 'post.deleted') return { postId };
    if (kind !== 'post.created' && kind !== 'post.edited') return subject;
    const post = byId.get(postId ?? '');
    return post ? { post } : null;
  };
  const visible = events.flatMap((row) => {
    const { position, kind, at, actorId } = row;
    const subject = subjectOf(row);
    return subject ? [{ position, kind, at, actorId, ...subject } as FeedEvent] : [];
  });
  return { events: visible, cursor, replace };
}
