import type { Statement } from '../runner/projection.js';

/**
 * A post's revision counts its versions, from 1 at creation. It is not the revision of the stream, whose events do not
 * all create a version.
 */
export const FIRST_POST_REVISION = 1;

interface NamedPost {
  readonly id: string;
}

const ofPost = { table: 'post', key: (row: NamedPost) => row.id };

const row = `row AS MATERIALIZED (SELECT id FROM json_to_recordset($1) AS row(id text))`;

const uncount = `
    UPDATE post_count SET posts = post_count.posts - counted.posts
    FROM counted WHERE post_count.actor_id = counted.author_actor_id`;

// The row stays without text and versions, because replies refer to it. It is the same whether or not its events were
// readable when they were applied.
export const removePost: Statement<NamedPost> = {
  ...ofPost,
  name: 'post.delete',
  sql: `
    WITH ${row}, leaving AS MATERIALIZED (
      SELECT post.id, post.author_actor_id, post.status
      FROM post JOIN row ON row.id = post.id WHERE post.status <> 'deleted'
    ), deleted AS (
      UPDATE post SET status = 'deleted', text = '', revision = ${FIRST_POST_REVISION}, last_edit_app_id = NULL,
        last_edit_at = NULL
      FROM leaving WHERE post.id = leaving.id
    ), counted AS (
      SELECT author_actor_id, count(*) AS posts FROM leaving WHERE status = 'published' GROUP BY author_actor_id
    )${uncount}`,
};

// The restriction has a table of its own: a recovered log may have lost the post, and its events may come later.
export const restrictPost: Statement<NamedPost> = {
  ...ofPost,
  name: 'post.restrict',
  sql: `
    WITH ${row}, marked AS (
      INSERT INTO restricted_post (id) SELECT id FROM row ON CONFLICT DO NOTHING
    ), restricted AS (
      UPDATE post SET status = 'restricted' FROM row WHERE post.id = row.id AND post.status = 'published'
      RETURNING post.author_actor_id
    ), counted AS (
      SELECT author_actor_id, count(*) AS posts FROM restricted GROUP BY author_actor_id
    )${uncount}`,
};

export const unrestrictPost: Statement<NamedPost> = {
  ...ofPost,
  name: 'post.unrestrict',
  sql: `
    WITH ${row}, unmarked AS (
      DELETE FROM restricted_post USING row WHERE restricted_post.id = row.id
    ), published AS (
      UPDATE post SET status = 'published' FROM row WHERE post.id = row.id AND post.status = 'restricted'
      RETURNING post.author_actor_id
    )
    INSERT INTO post_count (actor_id, posts)
    SELECT author_actor_id, count(*) FROM published GROUP BY author_actor_id
    ON CONFLICT (actor_id) DO UPDATE SET posts = post_count.posts + excluded.posts`,
};
