import { digestOf, ERASED_ACTORS } from '../runner/verification.js';
import type { TableVerification } from '../runner/verification.js';

/**
 * A post has the state of its creation and its last edit. A restriction hides it until it is lifted. A deleted post, or
 * a post of an erased author, keeps no text and no versions.
 */
export const postVerifications: readonly TableVerification[] = [
  {
    table: 'application',
    key: ['app_id'],
    expected: `
      SELECT DISTINCT ON (data->>'appId') data->>'appId' AS app_id, data->>'name' AS name
      FROM fact WHERE type IN ('application.registered', 'application.changed') ORDER BY data->>'appId', n DESC`,
    actual: 'SELECT app_id, name FROM application',
  },
  {
    table: 'restricted_post',
    key: ['id'],
    materializeAs: 'folded_restricted',
    expected: `
      SELECT id FROM (
        SELECT DISTINCT ON (data->>'postId') data->>'postId' AS id, type
        FROM fact WHERE type IN ('post.restricted', 'post.unrestricted') ORDER BY data->>'postId', n DESC
      ) newest
      WHERE type = 'post.restricted'`,
    actual: 'SELECT id FROM restricted_post',
  },
  {
    table: 'post',
    key: ['id'],
    materializeAs: 'folded_post',
    expected: `
      WITH created AS (
        SELECT position, at, erased, data, data->>'postId' AS id FROM fact WHERE type = 'post.created'
      ), edit AS (
        SELECT DISTINCT ON (data->>'postId') data->>'postId' AS id, at, data->>'text' AS text,
          data->>'appId' AS app_id, (data->>'revision')::integer AS revision
        FROM fact WHERE type = 'post.edited' AND NOT erased
        ORDER BY data->>'postId', (data->>'revision')::integer DESC
      ), gone AS (
        SELECT data->>'postId' AS id FROM fact WHERE type = 'post.deleted' OR (type LIKE 'post.%' AND erased)
        UNION
        SELECT id FROM created WHERE data->>'authorActorId' IN ${ERASED_ACTORS}
      )
      SELECT id, position, data->>'authorActorId' AS author_actor_id, data->>'appId' AS app_id,
        CASE WHEN gone.id IS NOT NULL THEN ${digestOf("''")} ELSE coalesce(edit.text, data->>'text') END AS text,
        data->>'audience' AS audience,
        CASE WHEN gone.id IS NOT NULL THEN 'deleted' WHEN restricted.id IS NOT NULL THEN 'restricted'
          ELSE 'published' END AS status,
        CASE WHEN gone.id IS NULL THEN coalesce(edit.revision, 1) ELSE 1 END AS revision,
        created.at AS created_at,
        CASE WHEN gone.id IS NULL THEN edit.app_id END AS last_edit_app_id,
        CASE WHEN gone.id IS NULL THEN edit.at END AS last_edit_at,
        data->>'parentId' AS parent_id, data->>'rootId' AS root_id
      FROM created LEFT JOIN edit USING (id) LEFT JOIN gone USING (id) LEFT JOIN folded_restricted restricted USING (id)`,
    actual: `
      SELECT id, position, author_actor_id, app_id, ${digestOf('text')} AS text, audience, status, revision,
        created_at, last_edit_app_id, last_edit_at, parent_id, root_id
      FROM post`,
  },
  {
    table: 'post_count',
    key: ['actor_id'],
    expected: `
      SELECT author_actor_id AS actor_id, count(*) AS posts FROM folded_post WHERE status = 'published'
      GROUP BY author_actor_id`,
    actual: 'SELECT actor_id, posts FROM post_count WHERE posts <> 0',
  },
];
