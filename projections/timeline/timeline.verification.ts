import { ERASED_ACTORS } from '../runner/verification.js';
import type { TableVerification } from '../runner/verification.js';

export function timelineVerifications({
  fanOutThreshold,
  mostCopied,
}: {
  readonly fanOutThreshold: number;
  readonly mostCopied: number;
}): readonly TableVerification[] {
  const large = (followers: string, posts: string) => `
    SELECT actor_id FROM (${followers}) followed FULL JOIN (${posts}) wrote USING (actor_id)
    WHERE followers > ${fanOutThreshold} OR posts > ${mostCopied}`;
  const currentlyLarge = large(
    `SELECT target_actor_id AS actor_id, count(*) AS followers FROM folded_relation WHERE kind = 'follow' GROUP BY 1`,
    `SELECT author_actor_id AS actor_id, count(*) AS posts FROM folded_post WHERE status = 'published' GROUP BY 1`,
  );
  const everLarge = large(
    `SELECT data->>'targetActorId' AS actor_id, count(*) AS followers FROM fact
    WHERE type = 'relation.established' AND data->>'kind' = 'follow' GROUP BY 1`,
    `SELECT data->>'authorActorId' AS actor_id, count(*) AS posts FROM fact WHERE type = 'post.created' GROUP BY 1`,
  );
  return [
    {
      table: 'merged_author',
      key: ['actor_id'],
      expected: currentlyLarge,
      // A large author stays a fan-out-on-read author for good, so authors that may once have been large are excluded.
      actual: `
        SELECT actor_id FROM merged_author
        WHERE actor_id IN (${currentlyLarge}) OR actor_id NOT IN (${everLarge})`,
    },
    {
      table: 'timeline',
      key: ['actor_id', 'position', 'post_id'],
      expected: `
        SELECT author_actor_id AS actor_id, position, id AS post_id FROM folded_post WHERE status = 'published'
        UNION ALL
        SELECT relation.actor_id, post.position, post.id
        FROM folded_post post
        JOIN folded_relation relation ON relation.kind = 'follow' AND relation.target_actor_id = post.author_actor_id
        LEFT JOIN merged_author ON merged_author.actor_id = post.author_actor_id
        WHERE post.status = 'published' AND merged_author.actor_id IS NULL`,
      // Excludes rows that reads skip: of a deleted post, of an author no longer followed, of a fan-out-on-read author,
      // and of an erased actor. Every other unexpected row is reported.
      actual: `
        SELECT timeline.actor_id, timeline.position, timeline.post_id
        FROM timeline
        LEFT JOIN folded_post post ON post.id = timeline.post_id AND post.position = timeline.position
        LEFT JOIN merged_author ON merged_author.actor_id = post.author_actor_id
        LEFT JOIN folded_relation relation ON relation.kind = 'follow' AND relation.actor_id = timeline.actor_id
          AND relation.target_id = post.author_actor_id
        LEFT JOIN (
          SELECT DISTINCT data->>'actorId' AS actor_id, data->>'targetId' AS target_id
          FROM fact WHERE type = 'relation.ended' AND data->>'kind' = 'follow'
        ) ended ON ended.actor_id = timeline.actor_id AND ended.target_id = post.author_actor_id
        WHERE timeline.actor_id NOT IN ${ERASED_ACTORS} AND (post.id IS NULL OR post.status = 'published' AND (
          post.author_actor_id = timeline.actor_id
          OR merged_author.actor_id IS NULL AND (relation.actor_id IS NOT NULL OR ended.actor_id IS NULL)))`,
    },
  ];
}
