export function relationCountOf(schema: string, side: 'following' | 'followers', actor: string): string {
  return `coalesce((SELECT ${side} - hidden_${side} FROM ${schema}.relation_count WHERE relation_count.actor_id = ${actor}), 0)`;
}

export function isFollowedByCaller(schema: string, actor: string): string {
  return `EXISTS (
    SELECT FROM ${schema}.relation followed
    WHERE followed.actor_id = caller.actor_id AND followed.kind = 'follow' AND followed.target_id = ${actor} OFFSET 0)`;
}
