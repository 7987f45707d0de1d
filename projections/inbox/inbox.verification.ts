import { markedAt } from './inbox.sql.js';
import { ERASED_ACTORS } from '../runner/verification.js';
import type { TableVerification } from '../runner/verification.js';

/** SQL of the entry id that `entryId` (inbox-entry.ts) computes. The ids in it need no JSON escapes. */
const ENTRY_ID = `
  translate(rtrim(encode(substring(sha256(convert_to(
    format('["%s","%s","%s","%s"]', kind, actor_id, source_actor_id, source_id), 'UTF8')) FOR 16), 'base64'), '='), '+/', '-_')`;

/**
 * Each follow or like renews its entry; a post adds one entry at most; own actions add none. The first later mark in
 * the log that names an entry makes it read.
 */
export const inboxVerifications: readonly TableVerification[] = [
  {
    table: 'inbox',
    key: ['actor_id', 'id'],
    expected: `
      WITH relation_entry AS (
        SELECT DISTINCT ON (data->>'targetActorId', data->>'kind', data->>'actorId', data->>'targetId')
          data->>'targetActorId' AS actor_id, data->>'kind' AS kind, data->>'actorId' AS source_actor_id,
          CASE data->>'kind' WHEN 'like' THEN data->>'targetId' ELSE data->>'actorId' END AS source_id,
          at AS created_at, position
        FROM fact WHERE type = 'relation.established' AND data->>'targetActorId' <> data->>'actorId'
        ORDER BY data->>'targetActorId', data->>'kind', data->>'actorId', data->>'targetId', n DESC
      ), post_mention AS (
        SELECT n, 0 AS rank, data->>'parentAuthorActorId' AS actor_id, 'reply' AS kind,
          data->>'authorActorId' AS source_actor_id, data->>'postId' AS source_id, at AS created_at, position
        FROM fact WHERE type = 'post.created' AND NOT erased AND data ? 'parentAuthorActorId'
        UNION ALL
        SELECT n, 1, mentioned, 'mention', data->>'authorActorId', data->>'postId', at, position
        FROM fact CROSS JOIN LATERAL jsonb_array_elements_text(data->'mentions') mentioned
        WHERE type IN ('post.created', 'post.edited') AND NOT erased AND data->'mentions' <> '[]'
      ), post_entry AS (
        SELECT DISTINCT ON (actor_id, source_id) actor_id, kind, source_actor_id, source_id, created_at, position
        FROM post_mention WHERE actor_id <> source_actor_id
        ORDER BY actor_id, source_id, n, rank
      ), entry AS (
        SELECT *, ${ENTRY_ID} AS id FROM (SELECT * FROM relation_entry UNION ALL SELECT * FROM post_entry) both_kinds
        WHERE actor_id NOT IN ${ERASED_ACTORS} AND source_actor_id NOT IN ${ERASED_ACTORS}
      ), named AS (
        SELECT entry.actor_id, entry.id, mark.n, mark.at
        FROM (
          SELECT n, at, position, data->>'actorId' AS actor_id, named AS id
          FROM fact CROSS JOIN LATERAL jsonb_array_elements_text(data->'ids') named
          WHERE type = 'inbox.read' AND data ? 'ids'
        ) mark
        JOIN entry ON entry.actor_id = mark.actor_id AND entry.id = mark.id AND entry.position < mark.position
        UNION ALL
        SELECT entry.actor_id, entry.id, mark.n, mark.at
        FROM (
          SELECT n, at, position, data->>'actorId' AS actor_id, (data->>'upTo')::bigint AS up_to
          FROM fact WHERE type = 'inbox.read' AND data ? 'upTo'
        ) mark
        JOIN entry ON entry.actor_id = mark.actor_id AND entry.created_at <= mark.up_to
          AND entry.position < mark.position
      ), read AS (
        SELECT actor_id, id, (array_agg(at ORDER BY n))[1] AS at FROM named GROUP BY actor_id, id
      )
      SELECT actor_id, id, kind, source_actor_id, source_id, created_at, position, read.at AS read_at
      FROM entry LEFT JOIN read USING (actor_id, id)`,
    actual: `
      SELECT actor_id, id, kind, source_actor_id, source_id, created_at, position,
        coalesce(read_at, ${markedAt('inbox')}) AS read_at
      FROM inbox`,
  },
];
