import { randomUUID } from 'node:crypto';
import type { Random } from '../audit/random.js';
import type { TokenRequests } from '../auth/application.js';
import type { Sending } from '../load.js';
import { postBody } from '../post-body.js';
import type { Reader } from '../reads/reader.js';

/** Requests of each kind, of all {@link TOTAL}. Besides, tokens are refreshed. */
export const weights = {
  reads: {
    timeline: 22,
    profile: 10,
    replies: 6,
    'actor posts': 5,
    inbox: 6,
    following: 3,
    relations: 3,
    reconcile: 2,
  },
  writes: {
    post: 12,
    reply: 8,
    like: 10,
    unlike: 2,
    'follow or unfollow': 4,
    'block or unblock': 2,
    edit: 2,
    deletion: 1,
  },
} as const;
const weightOf = { ...weights.reads, ...weights.writes };
type Kind = keyof typeof weightOf;
const kinds = Object.keys(weightOf) as Kind[];
const TOTAL = Object.values(weightOf).reduce((sum, weight) => sum + weight, 0);
const REMEMBERED = 100;
/** An access token lives for five minutes. */
const REFRESHED_AFTER_MS = 60_000;

export interface Act {
  readonly kind: string;
  readonly sending: Sending;
  /** Called with the answer, if it has the status 200. */
  took(answer: string): unknown;
}

interface Post {
  readonly id: string;
  readonly revision: number;
}

/**
 * Somebody who reads and acts, one request after the other. Posts are liked and answered, replies are edited and deleted,
 * and follows and blocks end and begin again: so nothing is refused, and pages keep their size.
 */
export class Person {
  private readonly replies: Post[] = [];
  private readonly liked: string[] = [];
  private readonly done = { 'follow or unfollow': 0, 'block or unblock': 0 };

  private refreshedAt = performance.now();

  private constructor(
    private readonly actorId: string,
    private tokens: { readonly access_token: string; readonly refresh_token?: string },
    private readonly requests: TokenRequests,
    private readonly others: OthersOfPerson,
    private readonly random: Random,
  ) {}

  static async of(reader: Reader, others: OthersOfPerson, random: Random): Promise<Person> {
    const { tokens, requests } = await reader.chain();
    return new Person(reader.actorId, tokens, requests, others, random);
  }

  next(): Act {
    if (performance.now() > this.refreshedAt + REFRESHED_AFTER_MS) return this.refresh();
    for (;;) {
      let at = this.random.below(TOTAL);
      const act = this.act(kinds.find((each) => (at -= weightOf[each]) < 0) ?? 'post');
      if (act) return act;
    }
  }

  private refresh(): Act {
    return this.actOf('refresh', this.requests.refresh(this.tokens.refresh_token ?? ''), (answer) => {
      this.tokens = JSON.parse(answer) as typeof this.tokens;
      this.refreshedAt = performance.now();
    });
  }

  /** Undefined: there is nothing to do it with yet. */
  private act(kind: Kind): Act | undefined {
    const { posts } = this.others;
    const post = posts[this.random.below(posts.length)];
    const [reply, liked] = [this.replies[0], this.liked[0]];
    const actor = `/api/actors/${this.actorId}`;
    const intent = `intentId=${randomUUID()}`;
    switch (kind) {
      case 'timeline':
      case 'profile':
      case 'inbox':
      case 'relations':
      case 'reconcile':
        return this.actOf(kind, this.send('GET', `/api/${kind}`));
      case 'following':
        return this.actOf(kind, this.send('GET', `${actor}/following`));
      case 'actor posts':
        return this.actOf(kind, this.send('GET', `${actor}/posts`));
      case 'replies':
        if (post === undefined) return undefined;
        return this.actOf(kind, this.send('GET', `/api/posts/${post}/replies`));
      case 'post':
        return this.actOf(kind, this.send('POST', '/api/posts', postBody()), (answer) => {
          posts.push(postIn(answer).id);
          if (posts.length > REMEMBERED) posts.shift();
        });
      case 'reply':
        if (post === undefined) return undefined;
        return this.actOf(kind, this.send('POST', '/api/posts', postBody(post)), (answer) => {
          this.replies.push(postIn(answer));
        });
      case 'like':
        if (post === undefined) return undefined;
        return this.actOf(kind, this.put(`/api/relations/like/${post}`), () => this.liked.push(post));
      case 'unlike':
        if (liked === undefined) return undefined;
        return this.actOf(kind, this.send('DELETE', `/api/relations/like/${liked}?${intent}`), () =>
          this.liked.shift(),
        );
      case 'edit': {
        if (!reply) return undefined;
        const { text } = JSON.parse(postBody()) as { text: string };
        const body = JSON.stringify({ intentId: randomUUID(), revision: reply.revision, text });
        return this.actOf(kind, this.send('PATCH', `/api/posts/${reply.id}`, body), (answer) => {
          this.replies[0] = postIn(answer);
        });
      }
      case 'deletion': {
        if (!reply) return undefined;
        const path = `/api/posts/${reply.id}?${intent}&revision=${reply.revision}`;
        return this.actOf(kind, this.send('DELETE', path), () => this.replies.shift());
      }
      case 'follow or unfollow':
        return this.turn(kind, this.others.toFollow, (id) => [
          this.send('DELETE', `/api/relations/follow/${id}?${intent}`),
          this.put(`/api/relations/follow/${id}`),
        ]);
      case 'block or unblock':
        // A block ends the follow.
        return this.turn(kind, this.others.toBlock, (id) => [
          this.put(`/api/blocks/${id}`),
          this.send('DELETE', `/api/blocks/${id}?${intent}`),
          this.put(`/api/relations/follow/${id}`),
        ]);
    }
  }

  /** The next of these steps with an actor; after the last one, the first with the next actor. */
  private turn(
    kind: keyof Person['done'],
    targets: readonly string[],
    stepsWith: (id: string) => readonly Sending[],
  ): Act | undefined {
    const done = this.done[kind];
    const count = stepsWith('').length;
    const sending = stepsWith(targets[Math.floor(done / count) % targets.length] ?? '')[done % count];
    return sending && this.actOf(kind, sending, () => this.done[kind]++);
  }

  private actOf(kind: string, sending: Sending, took: (answer: string) => unknown = () => undefined): Act {
    return { kind, sending, took };
  }

  private put(path: string): Sending {
    return this.send('PUT', path, JSON.stringify({ intentId: randomUUID() }));
  }

  private send(method: Sending['method'], path: string, body?: string): Sending {
    const authorization = `Bearer ${this.tokens.access_token}`;
    return body === undefined
      ? { method, path, headers: { authorization } }
      : { method, path, headers: { authorization, 'content-type': 'application/json' }, body };
  }
}

export interface OthersOfPerson {
  /** The newest posts of all people. */
  readonly posts: string[];
  /** Actors whom everybody follows. */
  readonly toFollow: readonly string[];
  readonly toBlock: readonly string[];
}

const postIn = (answer: string): Post => (JSON.parse(answer) as { post: Post }).post;
