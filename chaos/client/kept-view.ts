import type { ShownItem } from '../history.js';
import type { Answer } from './session.js';

/** Size of the view, of all posts and of own posts: docs/network-api.md, "GET /api/reconcile". */
const VIEW = 100;

interface KeptPost {
  readonly id: string;
  readonly authorActorId: string;
  readonly createdAt: number;
}

/** An application's copy of its reconcile answers: docs/applications.md, "Keep a view". */
export class KeptView {
  private posts: readonly KeptPost[] = [];
  private ownPosts: readonly KeptPost[] = [];
  private cursor: number | undefined;

  get path(): string {
    return this.cursor === undefined ? '/api/reconcile' : `/api/reconcile?cursor=${this.cursor}`;
  }

  /** Merges an answer. Returns the whole view, since it counts as shown. */
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
