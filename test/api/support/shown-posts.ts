import assert from 'node:assert/strict';
import type { SignedIn } from '../../support/api.js';
import type { ProcessAnswer } from '../../support/api-process.js';

interface Reply {
  readonly id: string;
  readonly parentId: string;
  readonly authorActorId: string;
}

type Read = (path: string, by: SignedIn | undefined) => Promise<ProcessAnswer>;

/** The reads that can show a reply, and those that do. */
export class ShownPosts {
  /** These show it to everybody. */
  readonly pathsOfAnybody: readonly string[];
  /** These show it to a reader who follows its author, likes it and wrote its parent. */
  readonly paths: readonly string[];

  /** @param cursor before the thread. */
  constructor(
    private readonly read: Read,
    private readonly reader: SignedIn,
    { id, parentId, authorActorId }: Reply,
    cursor: number,
  ) {
    this.pathsOfAnybody = [
      `/api/posts/${id}`,
      `/api/actors/${authorActorId}/posts`,
      `/api/posts/${parentId}/replies`,
      '/api/reconcile',
      `/api/events?cursor=${cursor}`,
    ];
    this.paths = [
      ...this.pathsOfAnybody,
      '/api/timeline',
      '/api/inbox',
      '/api/relations',
      `/api/reconcile?cursor=${cursor}`,
    ];
  }

  /** The reads that show the post itself, more than its id as a parent, root or deletion. All must be answered. */
  async pathsShowing(postId: string, paths: readonly string[], by?: SignedIn): Promise<readonly string[]> {
    const shown: string[] = [];
    for (const path of paths) {
      const { status, body } = await this.read(path, by);
      assert.ok([200, 404].includes(status), `${path}: ${status}`);
      const text = JSON.stringify(body, (name, value: unknown) =>
        ['parentId', 'rootId', 'postId'].includes(name) ? undefined : value,
      );
      if (text.includes(`"${postId}"`)) shown.push(path);
    }
    return shown;
  }

  /** As the reader, and without a token. */
  async pathsShowingToAnybody(postId: string): Promise<readonly string[]> {
    return [
      ...(await this.pathsShowing(postId, this.paths, this.reader)),
      ...(await this.pathsShowing(postId, this.pathsOfAnybody)),
    ];
  }
}
