/**
 * SQL that every read of posts shares, in the steps of the read path: a skeleton (ids by keyset, `post_id` and
 * `position`), hydration and the rule of who sees what, presentation.
 */

/** Whether the caller may see the row of `post` under this alias. The one place of that rule. */
export const isVisible = (post: string): string => `${post}.status = 'published'`;

/**
 * The visible posts of a skeleton as a JSON array of the published shape.
 * `skeleton`: name of a relation with `post_id` and `position`, or a parenthesized query with an alias.
 */
export function postsJson(schema: string, skeleton: string, order: 'ASC' | 'DESC'): string {
  return `(
    SELECT coalesce(json_strip_nulls(json_agg(json_build_object(
      'id', post.id,
      'authorActorId', post.author_actor_id,
      'text', post.text,
      'audience', post.audience,
      'revision', post.revision,
      'createdAt', post.created_at,
      'originApp', json_build_object('id', post.app_id, 'name', coalesce(application.name, '')),
      'edited', false,
      'parentId', post.parent_id,
      'rootId', post.root_id,
      'parentUnavailable', CASE WHEN post.parent_id IS NOT NULL THEN parent.id IS NULL END,
      'rootUnavailable', CASE WHEN post.root_id IS NOT NULL THEN root.id IS NULL END
    ) ORDER BY skeleton.position ${order})), '[]')
    FROM ${skeleton} skeleton
    JOIN ${schema}.post ON post.id = skeleton.post_id AND ${isVisible('post')}
    LEFT JOIN ${schema}.application ON application.app_id = post.app_id
    LEFT JOIN ${schema}.post parent ON parent.id = post.parent_id AND ${isVisible('parent')}
    LEFT JOIN ${schema}.post root ON root.id = post.root_id AND ${isVisible('root')})`;
}

/** How many posts an actor has published; `actor` is an SQL expression. */
export function postCountOf(schema: string, actor: string): string {
  return `coalesce((SELECT posts FROM ${schema}.post_count WHERE post_count.actor_id = ${actor}), 0)`;
}
