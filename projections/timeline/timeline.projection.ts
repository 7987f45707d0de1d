import { relationKey } from '../relations/relations.projection.js';
import type { Projection, Statement } from '../runner/projection.js';
import { isPublished } from '../visibility.sql.js';
import { timelineVerifications } from './timeline.verification.js';

export interface TimelineSettings {
  /** An author with more followers becomes a fan-out-on-read author. */
  readonly fanOutThreshold: number;
}

/**
 * Maximum of rows that one follow adds to a timeline and one unfollow removes. An author with more posts becomes a
 * fan-out-on-read author, whose posts are looked up at each read.
 */
const MAX_COPIED = 1_000;

/**
 * CTEs over `row`, which has `author_actor_id`. `large` has the authors that become fan-out-on-read authors now,
 * permanently. `fanned` has the rows of all other authors.
 */
const classifyAuthors = (threshold: number): string => `
    large AS MATERIALIZED (
      SELECT author.author_actor_id FROM (SELECT DISTINCT author_actor_id FROM row) author
      LEFT JOIN relation_count ON relation_count.actor_id = author.author_actor_id
      LEFT JOIN post_count ON post_count.actor_id = author.author_actor_id
      WHERE relation_count.followers > ${threshold} OR post_count.posts > ${MAX_COPIED}
    ), merged AS (
      INSERT INTO merged_author (actor_id) SELECT author_actor_id FROM large ON CONFLICT DO NOTHING
    ), fanned AS MATERIALIZED (
      SELECT * FROM row
      WHERE NOT EXISTS (SELECT FROM large WHERE large.author_actor_id = row.author_actor_id)
        AND NOT EXISTS (SELECT FROM merged_author WHERE merged_author.actor_id = row.author_actor_id)
    )`;

interface PublicPost {
  readonly post_id: string;
  readonly author_actor_id: string;
  readonly audience: string;
  readonly position: string;
}

const deleteEntries = (keys: string): string => `
    DELETE FROM timeline WHERE ctid = ANY (ARRAY (
      SELECT entry.ctid FROM (${keys}) target
      CROSS JOIN LATERAL (
        SELECT timeline.ctid FROM timeline
        WHERE timeline.actor_id = target.actor_id AND timeline.position = target.position
        OFFSET 0
      ) entry))`;

const insertIntoTimelines = (row: string, threshold: number): string => `
    WITH row AS MATERIALIZED (${row}
    ), ${classifyAuthors(threshold)}
    INSERT INTO timeline (actor_id, position, post_id)
    SELECT author_actor_id, position, post_id FROM row
    UNION ALL
    SELECT relation.actor_id, fanned.position, fanned.post_id
    FROM fanned JOIN relation ON relation.kind = 'follow' AND relation.target_actor_id = fanned.author_actor_id
    ON CONFLICT DO NOTHING`;

const fanOut = (threshold: number): Statement<PublicPost> => ({
  name: 'timeline.fan-out',
  bulkSql: null,
  // Same table and key as the post's own row, so this write follows it.
  table: 'post',
  key: (row) => row.post_id,
  sql: insertIntoTimelines(
    `
      SELECT * FROM json_to_recordset($1) AS row(post_id text, author_actor_id text,
        audience text, position numeric)
      WHERE audience = 'public'`,
    threshold,
  ),
});

// Actors who followed the author during the restriction did not get the post.
const fanOutAgain = (threshold: number): Statement<Pick<PublicPost, 'post_id'>> => ({
  name: 'timeline.fan-out-again',
  bulkSql: null,
  table: 'post',
  key: (row) => row.post_id,
  sql: insertIntoTimelines(
    `
      SELECT post.id AS post_id, post.author_actor_id, post.position
      FROM json_to_recordset($1) AS named(post_id text)
      JOIN post ON post.id = named.post_id AND post.audience = 'public' AND ${isPublished('post')}`,
    threshold,
  ),
});

interface DeletedPost {
  readonly post_id: string;
  readonly author_actor_id: string;
}

// For a fan-out-on-read author, only the author's own row is deleted. Reads skip the older rows of followers.
const remove: Statement<DeletedPost> = {
  name: 'timeline.remove',
  bulkSql: null,
  table: 'post',
  key: (row) => row.post_id,
  sql: `
    WITH gone AS MATERIALIZED (
      SELECT row.author_actor_id, post.position
      FROM json_to_recordset($1) AS row(post_id text, author_actor_id text)
      JOIN post ON post.id = row.post_id AND post.author_actor_id = row.author_actor_id
    ) ${deleteEntries(`
      SELECT author_actor_id AS actor_id, position FROM gone
      UNION ALL
      SELECT relation.actor_id, gone.position
      FROM gone JOIN relation ON relation.kind = 'follow' AND relation.target_actor_id = gone.author_actor_id
      WHERE NOT EXISTS (SELECT FROM merged_author WHERE merged_author.actor_id = gone.author_actor_id)`)}`,
};

interface Follow {
  readonly actor_id: string;
  readonly author_actor_id: string;
}

const keyOfFollow = ({ actor_id, author_actor_id }: Follow) =>
  relationKey({ actor_id, kind: 'follow', target_id: author_actor_id });

const backfill = (threshold: number): Statement<Follow> => ({
  name: 'timeline.backfill',
  bulkSql: null,
  // Same table and key as the follow's own row, so this write follows it.
  table: 'relation',
  key: keyOfFollow,
  sql: `
    WITH row AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1) AS row(actor_id text, author_actor_id text)
    ), ${classifyAuthors(threshold)}
    INSERT INTO timeline (actor_id, position, post_id)
    SELECT fanned.actor_id, post.position, post.id
    FROM fanned JOIN post ON post.author_actor_id = fanned.author_actor_id AND ${isPublished('post')}
    ON CONFLICT DO NOTHING`,
});

// Copied rows are among the oldest: no row is added once the author is a fan-out-on-read author.
const removeFollowedPosts: Statement<Follow> = {
  name: 'timeline.take-away',
  bulkSql: null,
  table: 'relation',
  key: keyOfFollow,
  sql: deleteEntries(`
      SELECT row.actor_id, copied.position
      FROM json_to_recordset($1) AS row(actor_id text, author_actor_id text)
      CROSS JOIN LATERAL (
        SELECT post.position FROM post
        WHERE post.author_actor_id = row.author_actor_id AND ${isPublished('post')}
        ORDER BY post.position LIMIT ${MAX_COPIED}
      ) copied`),
};

/**
 * Derives all timelines in a build. Rows are sorted by key, so that a page of a timeline spans few blocks of the disk.
 */
const deriveTimelines = (threshold: number): string => `
    INSERT INTO merged_author (actor_id)
    SELECT actor_id FROM relation_count FULL JOIN post_count USING (actor_id)
    WHERE relation_count.followers > ${threshold} OR post_count.posts > ${MAX_COPIED};
    INSERT INTO timeline (actor_id, position, post_id)
    SELECT author_actor_id, position, id FROM post WHERE ${isPublished('post')} AND audience = 'public'
    UNION ALL
    SELECT relation.actor_id, post.position, post.id
    FROM post JOIN relation ON relation.kind = 'follow' AND relation.target_actor_id = post.author_actor_id
    WHERE ${isPublished('post')} AND post.audience = 'public'
      AND NOT EXISTS (SELECT FROM merged_author WHERE merged_author.actor_id = post.author_actor_id)
    ORDER BY 1, 2`;

/**
 * Candidates for home timelines: each actor's own posts, and posts of followed authors below the limits. Reads look up
 * the posts of fan-out-on-read authors, who have too many followers or posts.
 *
 * Extra rows are possible, and reads skip them. No row is ever missing, in whatever order a batch is written:
 *
 * The key of the post orders a fan-out behind the post; the fan-out reads the followers. The key of the follow orders a
 * backfill behind the follow; the backfill reads the posts. An unrestricted post is fanned out again; reads skip its
 * rows while it is restricted. A missing row would need a fan-out before the follow and a backfill before the post.
 * That is a circle: post < fan-out < follow < backfill < post. So the later of post and follow adds the row. A removal
 * belongs to an earlier follow, whose key orders it before the next backfill, or to a deleted post.
 */
export const timeline = ({ fanOutThreshold }: TimelineSettings): Projection => {
  const [fanOutPosts, backfillPosts] = [fanOut(fanOutThreshold), backfill(fanOutThreshold)];
  const fanOutPostsAgain = fanOutAgain(fanOutThreshold);
  return {
    name: 'timeline',
    version: 2,
    tables: `
      CREATE TABLE timeline (
        actor_id text COLLATE "C" NOT NULL,
        position numeric NOT NULL,
        post_id text COLLATE "C" NOT NULL
      );
      CREATE TABLE merged_author (actor_id text COLLATE "C" PRIMARY KEY)`,
    indexes: 'ALTER TABLE timeline ADD PRIMARY KEY (actor_id, position)',
    backfillSql: deriveTimelines(fanOutThreshold),
    verifications: timelineVerifications({ fanOutThreshold, mostCopied: MAX_COPIED }),
    handlers: {
      'post.created': ({ event: { data }, position, erased }, write) => {
        if (erased) return;
        write(fanOutPosts, {
          post_id: data.postId,
          author_actor_id: data.authorActorId,
          audience: data.audience,
          position: String(position),
        });
      },
      'post.deleted': ({ event: { data } }, write) =>
        write(remove, { post_id: data.postId, author_actor_id: data.authorActorId }),
      'post.unrestricted': ({ event: { data } }, write) => write(fanOutPostsAgain, { post_id: data.postId }),
      'relation.established': ({ event: { data } }, write) => {
        if (data.kind === 'follow')
          write(backfillPosts, { actor_id: data.actorId, author_actor_id: data.targetActorId });
      },
      'relation.ended': ({ event: { data } }, write) => {
        if (data.kind === 'follow')
          write(removeFollowedPosts, { actor_id: data.actorId, author_actor_id: data.targetActorId });
      },
    },
  };
};
