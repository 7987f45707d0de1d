import { ERASED_ACTORS } from '../runner/verification.js';
import type { TableVerification } from '../runner/verification.js';

export function timelineVerifications({
  fanOutThreshold,
}: {
  readonly fanOutThreshold: number;
}): readonly TableVerification[] {
  const currentlyLarge = `
    SELECT target_actor_id AS actor_id FROM folded_relation WHERE kind = 'follow'
    GROUP BY 1 HAVING count(*) > ${fanOutThreshold}`;
  const everLarge = `
    SELECT data->>'targetActorId' AS actor_id FROM fact
    WHERE type = 'relation.established' AND data->>'kind' = 'follow' GROUP BY 1 HAVING count(*) > ${fanOutThreshold}`;
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
      key: ['actor_id', 'position'],
      expected: `
        SELECT author_actor_id AS actor_id, post.position FROM folded_post post
        LEFT JOIN timeline_start ON timeline_start.actor_id = post.author_actor_id
        WHERE post.status = 'published' AND post.position >= coalesce(timeline_start.position, 0)
        UNION ALL
        SELECT relation.actor_id, post.position
        FROM folded_post post
        JOIN folded_relation relation ON relation.kind = 'follow' AND relation.target_actor_id = post.author_actor_id
        LEFT JOIN merged_author ON merged_author.actor_id = post.author_actor_id
        LEFT JOIN timeline_start ON timeline_start.actor_id = relation.actor_id
        LEFT JOIN follow_start ON follow_start.actor_id = relation.actor_id
          AND follow_start.author_actor_id = post.author_actor_id
        WHERE post.status = 'published' AND merged_author.actor_id IS NULL
          AND post.position >= coalesce(greatest(timeline_start.position, follow_start.position), 0)`,
      // Excludes rows that reads skip: of a deleted post, of an author no longer followed, of a fan-out-on-read author,
      // and of an erased actor; and those from before a start, whose posts are looked up. Every other unexpected row is
      // reported.
      actual: `
        SELECT timeline.actor_id, timeline.position
        FROM timeline
        LEFT JOIN folded_post post ON post.position = timeline.position
        LEFT JOIN merged_author ON merged_author.actor_id = post.author_actor_id
        LEFT JOIN folded_relation relation ON relation.kind = 'follow' AND relation.actor_id = timeline.actor_id
          AND relation.target_id = post.author_actor_id
        LEFT JOIN timeline_start ON timeline_start.actor_id = timeline.actor_id
        LEFT JOIN follow_start ON follow_start.actor_id = timeline.actor_id
          AND follow_start.author_actor_id = post.author_actor_id
        LEFT JOIN (
          SELECT DISTINCT data->>'actorId' AS actor_id, data->>'targetId' AS target_id
          FROM fact WHERE type = 'relation.ended' AND data->>'kind' = 'follow'
        ) ended ON ended.actor_id = timeline.actor_id AND ended.target_id = post.author_actor_id
        WHERE timeline.actor_id NOT IN ${ERASED_ACTORS} AND (post.id IS NULL OR post.status = 'published'
          AND timeline.position >= coalesce(greatest(timeline_start.position, follow_start.position), 0) AND (
          post.author_actor_id = timeline.actor_id
          OR merged_author.actor_id IS NULL AND (relation.actor_id IS NOT NULL OR ended.actor_id IS NULL)))`,
    },
  ];
}
