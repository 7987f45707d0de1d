import type { PageQuery } from '../runner/page-query.js';
import { isAccountVisible, isPostVisible } from '../visibility.sql.js';
import type { RelationInView } from './relation.js';
import { relationColumns } from './relation.sql.js';
import { KEY_ARITY, pageValues, presentRelations, relationsPageJson } from './relation-page.sql.js';

export interface Relation extends RelationInView {
  readonly createdAt: number;
}

export interface ActorSummary {
  readonly actorId: string;
  readonly handle: string;
  readonly displayName: string;
}

export const ownRelations: PageQuery<object, Relation> = {
  name: 'own-relations',
  arity: KEY_ARITY,
  values: pageValues,
  sql: (scope) =>
    relationsPageJson(scope, 0, {
      condition: 'relation.actor_id = caller.actor_id',
      joins: `
        LEFT JOIN ${scope.schema}.actor ON page.kind = 'follow' AND actor.actor_id = page.target_id
          AND ${isAccountVisible(scope.schema, 'actor')}
        LEFT JOIN ${scope.schema}.post ON page.kind = 'like' AND post.id = page.target_id
          AND ${isPostVisible(scope.schema, 'post')}
        WHERE actor.actor_id IS NOT NULL OR post.id IS NOT NULL`,
      fields: { ...relationColumns('page'), createdAt: 'page.created_at' },
    }),
  present: (json) => presentRelations<Relation>(json),
};

type ActorsQuery = PageQuery<{ readonly actorId: string }, ActorSummary>;

export const followingOf: ActorsQuery = {
  name: 'following-of',
  ...actorsOf({ subject: 'actor_id', listed: 'target_actor_id' }),
};

export const followersOf: ActorsQuery = {
  name: 'followers-of',
  ...actorsOf({ subject: 'target_actor_id', listed: 'actor_id' }),
};

/** Actors on the other side of an actor's follows, newest follow first. Null: the caller sees no such actor. */
function actorsOf({ subject, listed }: { subject: string; listed: string }): Omit<ActorsQuery, 'name'> {
  return {
    arity: KEY_ARITY,
    values: ({ actorId, ...page }) => [actorId, ...pageValues(page)],
    sql: (scope) => {
      const page = relationsPageJson(scope, 1, {
        condition: `relation.kind = 'follow' AND relation.${subject} = ${scope.parameter(1)}`,
        joins: `
          JOIN ${scope.schema}.actor ON actor.actor_id = page.${listed}
            AND ${isAccountVisible(scope.schema, 'actor')}`,
        fields: {
          actorId: 'actor.actor_id',
          handle: `coalesce(actor.handle, '')`,
          displayName: 'actor.display_name',
        },
      });
      return `(
        SELECT ${page} FROM ${scope.schema}.actor subject
        WHERE subject.actor_id = ${scope.parameter(1)} AND ${isAccountVisible(scope.schema, 'subject')})`;
    },
    present: (json) => (json === null ? null : presentRelations<ActorSummary>(json)),
  };
}
