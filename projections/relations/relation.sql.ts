/** How many actors `actor` (an SQL expression) follows, and how many follow it. */
export function relationCountOf(schema: string, side: 'following' | 'followers', actor: string): string {
  return `coalesce((SELECT ${side} FROM ${schema}.relation_count WHERE relation_count.actor_id = ${actor}), 0)`;
}
