import * as fc from 'fast-check';
import type { StoredEvent } from '../../../src/log/registry.js';
import { some } from './recorded.js';

export const actors = ['ada', 'bob', 'eve'] as const;

type Actor = (typeof actors)[number];

/** An attempted act. Numbers choose among the existing posts. */
export type Act =
  | { readonly does: 'post'; readonly by: Actor; readonly mentions: readonly Actor[] }
  | {
      readonly does: 'reply' | 'edit' | 'delete' | 'like' | 'unlike';
      readonly by: Actor;
      readonly of: number;
    }
  | {
      readonly does: 'follow' | 'unfollow' | 'block' | 'unblock';
      readonly by: Actor;
      readonly whom: Actor;
    }
  | { readonly does: 'restrict' | 'unrestrict'; readonly of: number }
  | { readonly does: 'suspend' | 'reinstate' | 'read'; readonly by: Actor };

const actor = fc.constantFrom(...actors);

export const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('post' as const),
      by: actor,
      mentions: fc.uniqueArray(actor, { maxLength: 2 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constantFrom('reply', 'reply', 'edit', 'delete', 'like', 'unlike' as const),
      by: actor,
      of: fc.nat(20),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constantFrom('follow', 'follow', 'follow', 'unfollow', 'block', 'unblock' as const),
      by: actor,
      whom: actor,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constantFrom('restrict', 'unrestrict' as const), of: fc.nat(20) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constantFrom('suspend', 'reinstate', 'read', 'read' as const),
      by: actor,
    }),
  },
);

/** Rounds of a few acts. */
export const histories = fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 24,
  size: 'max',
});

interface Written {
  readonly id: string;
  readonly author: Actor;
  readonly rootId: string;
  revision: number;
  status: 'published' | 'restricted' | 'deleted';
}

/** Turns acts into the events that the domain would append: none for a refused act. */
export class SocialHistory {
  private readonly posts: Written[] = [];
  /** By `<actor> <kind> <target>`. */
  private readonly ties = new Map<string, { generation: number; stands: boolean }>();
  private readonly blocks = new Set<string>();
  private readonly suspended = new Set<Actor>();
  private readonly erased = new Set<Actor>();
  private acts = 0;

  eventsOf(act: Act): readonly StoredEvent[] {
    // Some share their time, and some are later than a mark as read that follows them.
    const at = 10_000 + Math.floor(++this.acts / 6);
    switch (act.does) {
      case 'post':
        return [this.write(act.by, act.mentions, at)];
      case 'suspend':
      case 'reinstate':
        return this.setSuspended(act.by, act.does === 'suspend');
      case 'read':
        return [{ ...some.inboxRead(act.by), data: { actorId: act.by, upTo: at - (this.acts % 4), at } }];
      case 'follow':
        return this.barred(act.by, act.whom) || act.by === act.whom
          ? []
          : this.tie('follow', act.by, act.whom, act.whom, true, at);
      case 'unfollow':
        return this.tie('follow', act.by, act.whom, act.whom, false, at);
      case 'block':
      case 'unblock':
        return act.by === act.whom ? [] : this.setBlocked(act.by, act.whom, act.does === 'block', at);
      case 'reply':
      case 'edit':
      case 'delete':
      case 'like':
      case 'unlike':
        return this.toPost(act.does, act.by, this.postAt(act.of), at);
      case 'restrict':
        return this.turn(this.postAt(act.of), 'published', 'restricted', at);
      case 'unrestrict':
        return this.turn(this.postAt(act.of), 'restricted', 'published', at);
    }
  }

  erase(actorId: Actor): StoredEvent {
    this.erased.add(actorId);
    return some.erasure(actorId);
  }

  /** The active accounts that an active account follows, and those that follow it. Undefined for an inactive one. */
  countsOf(actorId: Actor): { readonly following: number; readonly followers: number } | undefined {
    const isActive = (each: Actor) => !this.suspended.has(each) && !this.erased.has(each);
    const follows = (by: Actor, whom: Actor) => this.ties.get(`${by} follow ${whom}`)?.stands ?? false;
    const others = actors.filter(isActive);
    if (!isActive(actorId)) return undefined;
    return {
      following: others.filter((other) => follows(actorId, other)).length,
      followers: others.filter((other) => follows(other, actorId)).length,
    };
  }

  private postAt(index: number): Written | undefined {
    return this.posts[index % Math.max(this.posts.length, 1)];
  }

  private turn(
    post: Written | undefined,
    from: Written['status'],
    to: 'published' | 'restricted',
    at: number,
  ): readonly StoredEvent[] {
    if (post?.status !== from) return [];
    post.status = to;
    const of = { authorActorId: post.author, at };
    return [to === 'restricted' ? some.restriction(post.id, of) : some.unrestriction(post.id, of)];
  }

  private toPost(
    does: 'reply' | 'edit' | 'delete' | 'like' | 'unlike',
    by: Actor,
    post: Written | undefined,
    at: number,
  ): readonly StoredEvent[] {
    if (!post) return [];
    if (does === 'unlike') return this.tie('like', by, post.id, post.author, false, at);
    if (post.status === 'deleted' || (post.status === 'restricted' && does !== 'delete')) return [];
    if (does === 'edit') {
      post.revision += 1;
      const text = `${post.id} at ${post.revision}`;
      return [
        some.edit(post.id, { authorActorId: post.author, text, revision: post.revision, mentions: [by], at }),
      ];
    }
    if (does === 'delete') {
      post.status = 'deleted';
      return [some.deletion(post.id, { authorActorId: post.author, at })];
    }
    if (this.barred(by, post.author)) return [];
    return does === 'like'
      ? this.tie('like', by, post.id, post.author, true, at)
      : [this.write(by, [], at, post)];
  }

  private write(by: Actor, mentions: readonly Actor[], at: number, parent?: Written): StoredEvent {
    const id = `p${this.posts.length}`;
    this.posts.push({ id, author: by, rootId: parent?.rootId ?? id, revision: 1, status: 'published' });
    return some.post(id, {
      authorActorId: by,
      mentions,
      at,
      ...(parent && { parentId: parent.id, parentAuthorActorId: parent.author, rootId: parent.rootId }),
    });
  }

  private tie(
    kind: 'follow' | 'like',
    actorId: Actor,
    targetId: string,
    targetActorId: Actor,
    stands: boolean,
    at: number,
    cause: 'actor' | 'block' = 'actor',
  ): readonly StoredEvent[] {
    const key = `${actorId} ${kind} ${targetId}`;
    const tie = this.ties.get(key) ?? { generation: 0, stands: false };
    if (tie.stands === stands) return [];
    const generation = tie.generation + (stands ? 1 : 0);
    this.ties.set(key, { generation, stands });
    const data = { kind, actorId, targetId, targetActorId, generation, at };
    return [
      stands ? { type: 'relation.established', data } : { type: 'relation.ended', data: { ...data, cause } },
    ];
  }

  private setBlocked(by: Actor, whom: Actor, isBlocked: boolean, at: number): readonly StoredEvent[] {
    const key = `${by} ${whom}`;
    if (this.blocks.has(key) === isBlocked) return [];
    if (!isBlocked) {
      this.blocks.delete(key);
      return [some.unblock(by, whom)];
    }
    this.blocks.add(key);
    return [
      ...this.tie('follow', by, whom, whom, false, at, 'block'),
      ...this.tie('follow', whom, by, by, false, at, 'block'),
      some.block(by, whom),
    ];
  }

  private setSuspended(actorId: Actor, isSuspended: boolean): readonly StoredEvent[] {
    if (this.suspended.has(actorId) === isSuspended) return [];
    if (isSuspended) this.suspended.add(actorId);
    else this.suspended.delete(actorId);
    return [isSuspended ? some.suspension(actorId) : some.reinstatement(actorId)];
  }

  private barred(one: Actor, other: Actor): boolean {
    return this.blocks.has(`${one} ${other}`) || this.blocks.has(`${other} ${one}`);
  }
}
