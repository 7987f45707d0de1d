import type { Pool } from 'pg';
import { ownBlocks } from '../../../projections/blocks/blocks.read-model.js';
import { inboxOf } from '../../../projections/inbox/inbox.read-model.js';
import type { InboxEntry } from '../../../projections/inbox/inbox-entry.js';
import type { Post } from '../../../projections/posts/post.js';
import { postsOf } from '../../../projections/posts/posts.read-model.js';
import { actorById, ownProfile } from '../../../projections/profile/profile.read-model.js';
import type { Actor, OwnProfile } from '../../../projections/profile/profile.read-model.js';
import { followersOf, followingOf } from '../../../projections/relations/relations.read-model.js';
import { scopeOf } from '../../../projections/runner/read-query.js';
import type { ReadQuery } from '../../../projections/runner/read-query.js';
import type { ScannedPage } from '../../../projections/runner/page-query.js';
import { timelineOf } from '../../../projections/timeline/timeline.read-model.js';
import type { Incarnation } from '../../../projections/incarnations/incarnation.js';

const POSTS = 20;
const ENTRIES = 20;
const ACTORS = 50;

/** `more`: it goes on after the listed ones. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly more: boolean;
}

/** The first pages of what one actor would see. Texts are references to events. */
export interface PagesOfActor {
  readonly profile: OwnProfile;
  /** Undefined: the account was suspended. The API would have refused its requests. */
  readonly shown: Actor | undefined;
  readonly timeline: Listed<Post>;
  readonly posts: Listed<Post>;
  readonly following: Listed<string>;
  readonly followers: Listed<string>;
  readonly blocks: Listed<string>;
  readonly inbox: Listed<InboxEntry> & { readonly unread: number };
}

/**
 * Reads by the queries of the API, as if the actor asked; nothing is outstanding in the past.
 * Undefined: no such actor at that position, or one who was erased since.
 */
export async function pagesOfActor(
  pool: Pool,
  { incarnation, schemaName }: Incarnation,
  actorId: string,
): Promise<PagesOfActor | undefined> {
  const ask = async <Args, Result>(query: ReadQuery<Args, Result>, args: Args): Promise<Result> => {
    const { rows } = await pool.query<{ data: unknown }>(
      `WITH state AS MATERIALIZED (
        SELECT applied_position, cursors_valid_from, NULL::jsonb AS hidden FROM recovery.incarnation WHERE incarnation = $1
      ), caller AS MATERIALIZED (SELECT $2::text AS actor_id, NULL::text AS app_id, true AS has_blocks)
      SELECT ${query.sql(scopeOf(schemaName, 2))} AS data FROM state CROSS JOIN caller`,
      [incarnation, actorId, ...query.values(args)],
    );
    return query.present(rows[0]?.data ?? null);
  };
  const page = (scan: number) => ({ actorId, scan, after: undefined });
  const profile = await ask(ownProfile, undefined);
  if (!profile) return undefined;
  const [shown, timeline, posts, following, followers, blocks, inbox] = await Promise.all([
    ask(actorById, { actorId }),
    ask(timelineOf, page(POSTS)),
    ask(postsOf, page(POSTS)),
    ask(followingOf, page(ACTORS)),
    ask(followersOf, page(ACTORS)),
    ask(ownBlocks, undefined),
    ask(inboxOf, page(ENTRIES)),
  ]);
  const actors = (found: ScannedPage<{ readonly actorId: string }> | null): Listed<string> => {
    const { items, more } = listed(found);
    return { items: items.map((actor) => actor.actorId), more };
  };
  return {
    profile,
    shown: shown ?? undefined,
    timeline: listed(timeline),
    posts: listed(posts),
    following: actors(following),
    followers: actors(followers),
    blocks: { items: blocks.slice(0, ACTORS), more: blocks.length > ACTORS },
    inbox: { ...listed(inbox), unread: inbox?.unread ?? 0 },
  };
}

/** Null: the API would not have shown the list. */
function listed<Item>(page: ScannedPage<Item> | null): Listed<Item> {
  return { items: page?.items.map(({ item }) => item) ?? [], more: (page?.last ?? null) !== null };
}
