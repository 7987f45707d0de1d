import { isUpTo } from './hidden-up-to.sql.js';
import { isActorVisible, isPostVisible } from '../visibility.sql.js';
import type { RelationInView } from './relation.js';

/** The follows that an actor counts, without those of and by inactive accounts. */
export function relationCountOf(schema: string, side: 'following' | 'followers', actor: string): string {
  const [follower, followed] = side === 'following' ? [actor, 'mark.actor_id'] : ['mark.actor_id', actor];
  return `coalesce((SELECT ${side} - hidden_${side} FROM ${schema}.relation_count WHERE relation_count.actor_id = ${actor}), 0)
    - (SELECT coalesce(sum((account.state <> 'active')::integer - (${isUpTo('follow', 'mark')})::integer), 0)
      FROM ${schema}.unsettled mark CROSS JOIN LATERAL (
        SELECT relation.created_at, relation.position FROM ${schema}.relation
        WHERE relation.actor_id = ${follower} AND relation.kind = 'follow' AND relation.target_id = ${followed} OFFSET 0) follow
      CROSS JOIN LATERAL (
        SELECT actor.state FROM ${schema}.actor WHERE actor.actor_id = mark.actor_id OFFSET 0) account)`;
}

export function isFollowedByCaller(schema: string, actor: string): string {
  return `EXISTS (
    SELECT FROM ${schema}.relation followed
    WHERE followed.actor_id = caller.actor_id AND followed.kind = 'follow' AND followed.target_id = ${actor} OFFSET 0)`;
}

export function isRelationVisible(schema: string, relation: string): string {
  return `CASE ${relation}.kind
    WHEN 'follow' THEN ${isActorVisible(schema, `${relation}.target_actor_id`)}
    ELSE EXISTS (
      SELECT FROM ${schema}.post liked WHERE liked.id = ${relation}.target_id AND ${isPostVisible(schema, 'liked')}
      OFFSET 0)
    END`;
}

/** SQL of the fields of a relation. `kind`: the column of its kind in `relation`. */
export const relationColumns = (
  relation: string,
  kind = 'kind',
): Readonly<Record<keyof RelationInView, string>> => ({
  kind: `${relation}.${kind}`,
  actorId: `${relation}.actor_id`,
  targetId: `${relation}.target_id`,
  targetActorId: `${relation}.target_actor_id`,
  generation: `${relation}.generation::text`,
});
