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

/** SQL of those of these accounts that the caller may see, as `actor`, and in `asked.n` the place of each in `ids`. */
const visibleActors = (schema: string, ids: string): string => `
    unnest(${ids}::text[]) WITH ORDINALITY AS asked(id, n)
    CROSS JOIN LATERAL (
      SELECT found.* FROM ${schema}.actor found
      WHERE found.actor_id = asked.id AND ${isAccountVisible(schema, 'found')} OFFSET 0) actor`;

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
    FROM ${visibleActors(schema, parameter(1))})`,
  present: (json) => new Map(Object.entries((json ?? {}) as Readonly<Record<string, PublicProfile>>)),
};

const actorJson = (schema: string): string => `json_build_object(
      'actorId', actor.actor_id, 'handle', actor.handle, 'displayName', actor.display_name,
      'bio', actor.bio, 'website', actor.website, 'createdAt', actor.created_at,
      'followers', ${relationCountOf(schema, 'followers', 'actor.actor_id')},
      'following', ${relationCountOf(schema, 'following', 'actor.actor_id')},
      'posts', ${postCountOf(schema, 'actor.actor_id')})`;

export const actorById: ReadQuery<{ readonly actorId: string }, Actor | null> = {
  name: 'actor-by-id',
  values: ({ actorId }) => [actorId],
  sql: ({ schema, parameter }) => `(
    SELECT ${actorJson(schema)}
    FROM ${schema}.actor
    WHERE actor.actor_id = ${parameter(1)} AND ${isAccountVisible(schema, 'actor')})`,
  present: (json) => json as Actor | null,
};

/** Those of the actors that the caller may see, in the order of the ids. */
export const actorsByIds: ReadQuery<{ readonly actorIds: readonly string[] }, readonly Actor[]> = {
  name: 'actors-by-ids',
  values: ({ actorIds }) => [actorIds],
  sql: ({ schema, parameter }) => `(
    SELECT json_agg(${actorJson(schema)} ORDER BY asked.n)
    FROM ${visibleActors(schema, parameter(1))})`,
  present: (json) => (json ?? []) as readonly Actor[],
};

/** The actor whose profile shows this handle, if the caller may see them: a list of one, or of none. */
export const actorsByHandle: ReadQuery<{ readonly handle: string }, readonly Actor[]> = {
  name: 'actors-by-handle',
  values: ({ handle }) => [handle],
  sql: ({ schema, parameter }) => `(
    SELECT json_agg(${actorJson(schema)})
    FROM ${schema}.actor
    WHERE actor.handle = ${parameter(1)} AND ${isAccountVisible(schema, 'actor')})`,
  present: (json) => (json ?? []) as readonly Actor[],
};
