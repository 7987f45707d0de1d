import type { ShownItem } from '../history.js';
import type { Answer } from './session.js';

/** What a view holds of the posts of all, and of one's own: docs/network-api.md, "GET /api/reconcile". */
const VIEW = 100;

interface KeptPost {
  readonly id: string;
  readonly authorActorId: string;
  readonly createdAt: number;
}

/** The view that an application keeps of what it is told at reconcile: docs/applications.md, "Keep a view". */
export class KeptView {
  private posts: readonly KeptPost[] = [];
  private ownPosts: readonly KeptPost[] = [];
  private cursor: number | undefined;

  get path(): string {
    return this.cursor === undefined ? '/api/reconcile' : `/api/reconcile?cursor=${this.cursor}`;
  }

  /** Takes an answer in, and says what is kept now: as good as if it was shown. */
  take({ posts, ownPosts, cursor, replace }: Answer['body']): ShownItem[] {
    this.posts = newest(replace ? [] : this.posts, posts);
    this.ownPosts = newest(replace ? [] : this.ownPosts, ownPosts);
    this.cursor = cursor;
    return [...this.posts, ...this.ownPosts].map(({ id, authorActorId }) => ({
      postId: id,
      actorId: authorActorId,
    }));
  }
}

function newest(kept: readonly KeptPost[], come: readonly KeptPost[]): KeptPost[] {
  const posts = new Map([...kept, ...come].map((post) => [post.id, post]));
  return [...posts.values()].sort((a, b) => b.createdAt - a.createdAt).slice(0, VIEW);
}
