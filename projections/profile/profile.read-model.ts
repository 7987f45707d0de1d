import { postCountOf } from '../posts/post.sql.js';
import { relationCountOf } from '../relations/relation.sql.js';
import type { ReadQuery } from '../runner/read-query.js';
import { isAccountVisible } from '../visibility.sql.js';

export interface OwnProfile {
  readonly actorId: string;
  readonly handle: string | null;
  readonly displayName: string;
  readonly bio: string;
  readonly website: string;
  readonly revision: number;
}

/** `createdAt`: Unix milliseconds. `posts` counts published posts and replies. */
export interface Actor {
  readonly actorId: string;
  readonly handle: string | null;
  readonly displayName: string;
  readonly bio: string;
  readonly website: string;
  readonly createdAt: number;
  readonly followers: number;
  readonly following: number;
  readonly posts: number;
}

export const ownProfile: ReadQuery<void, OwnProfile | null> = {
  name: 'own-profile',
  values: () => [],
  sql: ({ schema }) => `(
    SELECT json_build_object(
      'actorId', actor.actor_id, 'handle', actor.handle, 'displayName', actor.display_name,
      'bio', actor.bio, 'website', actor.website, 'revision', actor.revision)
    FROM ${schema}.actor
    WHERE actor.actor_id = caller.actor_id)`,
  present: (json) => json as OwnProfile | null,
};

export type PublicProfile = Omit<OwnProfile, 'actorId'>;

/** The profiles of those actors that the caller may see, by id. */
export const publicProfiles: ReadQuery<
  { readonly actorIds: readonly string[] },
  ReadonlyMap<string, PublicProfile>
> = {
  name: 'public-profiles',
  values: ({ actorIds }) => [actorIds],
  sql: ({ schema, parameter }) => `(
    SELECT json_object_agg(actor.actor_id, json_build_object(
      'handle', actor.handle, 'displayName', actor.display_name, 'bio', actor.bio, 'website', actor.website,
      'revision', actor.revision))
    FROM unnest(${parameter(1)}::text[]) AS wanted(id)
    CROSS JOIN LATERAL (
      SELECT found.* FROM ${schema}.actor found
      WHERE found.actor_id = wanted.id AND ${isAccountVisible(schema, 'found')} OFFSET 0) actor)`,
  present: (json) => new Map(Object.entries((json ?? {}) as Readonly<Record<string, PublicProfile>>)),
};

export const actorById: ReadQuery<{ readonly actorId: string }, Actor | null> = {
  name: 'actor-by-id',
  values: ({ actorId }) => [actorId],
  sql: ({ schema, parameter }) => `(
    SELECT json_build_object(
      'actorId', actor.actor_id, 'handle', actor.handle, 'displayName', actor.display_name,
      'bio', actor.bio, 'website', actor.website, 'createdAt', actor.created_at,
      'followers', ${relationCountOf(schema, 'followers', 'actor.actor_id')},
      'following', ${relationCountOf(schema, 'following', 'actor.actor_id')},
      'posts', ${postCountOf(schema, 'actor.actor_id')})
    FROM ${schema}.actor
    WHERE actor.actor_id = ${parameter(1)} AND ${isAccountVisible(schema, 'actor')})`,
  present: (json) => json as Actor | null,
};
