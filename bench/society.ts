import { randomUUID } from 'node:crypto';
import type { EventLog } from '../src/log/event-log.js';
import type { StoredEvent } from '../src/log/registry.js';
import { streams } from '../src/log/streams.js';

const WRITERS = 64;
/** Actors whose events share an append, which takes 1 MB. */
const CHUNK = 500;

const TEXT = 'What a person writes is often about as long as this, which is to say not very long. '.repeat(2);

/** Writes people and their actions to the log as the commands would. */
export class Society {
  private readonly at = Date.now();
  private readonly revisions = new Map<string, bigint>();

  constructor(private readonly log: EventLog) {}

  async application(appId: string): Promise<void> {
    const data = { appId, name: 'Bench', redirectUris: [], postLogoutRedirectUris: [], scopes: [] };
    await this.append(streams.application(appId), {
      type: 'application.registered',
      data: { ...data, at: this.at },
    });
  }

  people(actorIds: readonly string[]): Promise<void> {
    return inParallel(actorIds, (actorId) =>
      this.append(streams.account(actorId), {
        type: 'account.registered',
        data: {
          actorId,
          handle: actorId,
          displayName: actorId,
          email: `${actorId}@example.org`,
          at: this.at,
        },
      }),
    );
  }

  posts(posts: readonly NewPost[]): Promise<void> {
    return inParallel(posts, ({ postId, authorActorId, ...thread }) =>
      this.append(streams.post(postId), {
        type: 'post.created',
        data: {
          postId,
          authorActorId,
          appId: 'bench',
          text: TEXT,
          audience: 'public',
          mentions: [],
          ...thread,
          at: this.at,
        },
      }),
    );
  }

  edits(posts: readonly NewPost[]): Promise<void> {
    return inParallel(posts, ({ postId, authorActorId }) =>
      this.append(streams.post(postId), {
        type: 'post.edited',
        data: {
          postId,
          authorActorId,
          appId: 'bench',
          text: `${TEXT} Now better.`,
          mentions: [],
          revision: 2,
          at: this.at,
        },
      }),
    );
  }

  /**
   * Everybody follows and blocks the same two actors. Many events share a stream, which no command reads, since as many
   * appends take minutes.
   */
  async crowd(
    actorIds: readonly string[],
    { followed, blocked }: { readonly followed: string; readonly blocked: string },
  ): Promise<void> {
    const at = this.at;
    const streamOf = (n: number) => streams.pair('crowd', String(n / CHUNK));
    for (let n = 0; n < actorIds.length; n += CHUNK)
      await this.append(
        streamOf(n),
        ...actorIds.slice(n, n + CHUNK).flatMap((actorId): StoredEvent[] => {
          const follow = { actorId, targetId: followed, targetActorId: followed, generation: 1, at };
          return [
            { type: 'relation.established', data: { kind: 'follow', ...follow } },
            { type: 'block.established', data: { actorId, targetActorId: blocked, at } },
          ];
        }),
      );
  }

  blocks(blocks: readonly { readonly actorId: string; readonly targetId: string }[]): Promise<void> {
    return inParallel(blocks, ({ actorId, targetId }) =>
      this.append(streams.pair(actorId, targetId), {
        type: 'block.established',
        data: { actorId, targetActorId: targetId, at: this.at },
      }),
    );
  }

  deletions(posts: readonly NewPost[]): Promise<void> {
    return inParallel(posts, ({ postId, authorActorId }) =>
      this.append(streams.post(postId), {
        type: 'post.deleted',
        data: { postId, authorActorId, at: this.at },
      }),
    );
  }

  follows(follows: readonly { readonly actorId: string; readonly targetId: string }[]): Promise<void> {
    return inParallel(follows, ({ actorId, targetId }) =>
      this.append(streams.pair(actorId, targetId), {
        type: 'relation.established',
        data: { kind: 'follow', actorId, targetId, targetActorId: targetId, generation: 1, at: this.at },
      }),
    );
  }

  likes(
    likes: readonly { readonly actorId: string; readonly targetId: string; readonly targetActorId: string }[],
  ): Promise<void> {
    return inParallel(likes, (like) =>
      this.append(streams.like(like.actorId, like.targetId), {
        type: 'relation.established',
        data: { kind: 'like', ...like, generation: 1, at: this.at },
      }),
    );
  }

  private async append(stream: string, ...events: readonly StoredEvent[]): Promise<void> {
    const { revision } = await this.log.append({
      stream,
      expected: this.revisions.get(stream) ?? 'no_stream',
      events: events.map((event) => ({ id: randomUUID(), event })),
      metadata: { requestId: 'bench' },
    });
    this.revisions.set(stream, revision);
  }
}

export interface NewPost {
  readonly postId: string;
  readonly authorActorId: string;
  readonly parentId?: string;
  readonly parentAuthorActorId?: string;
  readonly rootId?: string;
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const writer = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

export const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${name}${n}`);
