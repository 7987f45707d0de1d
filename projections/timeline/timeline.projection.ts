import { relationKey } from '../relations/relations.projection.js';
import type { Projection, Statement } from '../runner/projection.js';
import { isPublished } from '../visibility.sql.js';
import { timelineFolds } from './timeline.verification.js';

export interface TimelineSettings {
  /** How many followers an author may have whose posts are still written to each follower's timeline. */
  readonly fanOutThreshold: number;
}

/** How many posts of an author a follow may copy, and an unfollow take away. Whoever has published more is merged. */
const MOST_COPIED = 1_000;

/**
 * Parts of a statement over `row`, which has an `author_actor_id`: `large` are the authors that are merged from here on,
 * for good; the rows of `fanned` are those of all others.
 */
const fanned = (threshold: number): string => `
    large AS MATERIALIZED (
      SELECT author.author_actor_id FROM (SELECT DISTINCT author_actor_id FROM row) author
      LEFT JOIN relation_count ON relation_count.actor_id = author.author_actor_id
      LEFT JOIN post_count ON post_count.actor_id = author.author_actor_id
      WHERE relation_count.followers > ${threshold} OR post_count.posts > ${MOST_COPIED}
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

/** Deletes from timelines what `holder`, a query of `actor_id` and `position`, names: each by its key. */
const deleteHeld = (holder: string): string => `
    DELETE FROM timeline WHERE ctid = ANY (ARRAY (
      SELECT held.ctid FROM (${holder}) holder
      CROSS JOIN LATERAL (
        SELECT timeline.ctid FROM timeline
        WHERE timeline.actor_id = holder.actor_id AND timeline.position = holder.position
        OFFSET 0
      ) held))`;

/** Of the posts that `row`, a query, tells: whose they are, their audience and position. */
const intoTimelines = (row: string, threshold: number): string => `
    WITH row AS MATERIALIZED (${row}
    ), ${fanned(threshold)}
    INSERT INTO timeline (actor_id, position, post_id)
    SELECT author_actor_id, position, post_id FROM row
    UNION ALL
    SELECT relation.actor_id, fanned.position, fanned.post_id
    FROM fanned JOIN relation ON relation.kind = 'follow' AND relation.target_actor_id = fanned.author_actor_id
    ON CONFLICT DO NOTHING`;

const fanOut = (threshold: number): Statement<PublicPost> => ({
  name: 'timeline.fan-out',
  bulkSql: null,
  // After the post itself was written.
  table: 'post',
  key: (row) => row.post_id,
  sql: intoTimelines(
    `
      SELECT * FROM json_to_recordset($1) AS row(post_id text, author_actor_id text,
        audience text, position numeric)
      WHERE audience = 'public'`,
    threshold,
  ),
});

// A post that is published again: whoever has followed since its restriction did not get it.
const fanOutAgain = (threshold: number): Statement<Pick<PublicPost, 'post_id'>> => ({
  name: 'timeline.fan-out-again',
  bulkSql: null,
  table: 'post',
  key: (row) => row.post_id,
  sql: intoTimelines(
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

// Of a merged author only from the own timeline: what others have of it from before is passed over by whoever reads.
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
    ) ${deleteHeld(`
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
  // After the follow itself was written.
  table: 'relation',
  key: keyOfFollow,
  sql: `
    WITH row AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1) AS row(actor_id text, author_actor_id text)
    ), ${fanned(threshold)}
    INSERT INTO timeline (actor_id, position, post_id)
    SELECT fanned.actor_id, post.position, post.id
    FROM fanned JOIN post ON post.author_actor_id = fanned.author_actor_id AND ${isPublished('post')}
    ON CONFLICT DO NOTHING`,
});

// What was ever copied and is still there is among the oldest: nothing newer is, once the author is merged.
const removeFollowedPosts: Statement<Follow> = {
  name: 'timeline.take-away',
  bulkSql: null,
  table: 'relation',
  key: keyOfFollow,
  sql: deleteHeld(`
      SELECT row.actor_id, copied.position
      FROM json_to_recordset($1) AS row(actor_id text, author_actor_id text)
      CROSS JOIN LATERAL (
        SELECT post.position FROM post
        WHERE post.author_actor_id = row.author_actor_id AND ${isPublished('post')}
        ORDER BY post.position LIMIT ${MOST_COPIED}
      ) copied`),
};

/** All of it from the tables as they are. In the order of the key, so that a page of a timeline is read from few blocks. */
const deriveTimelines = (threshold: number): string => `
    INSERT INTO merged_author (actor_id)
    SELECT actor_id FROM relation_count FULL JOIN post_count USING (actor_id)
    WHERE relation_count.followers > ${threshold} OR post_count.posts > ${MOST_COPIED};
    INSERT INTO timeline (actor_id, position, post_id)
    SELECT author_actor_id, position, id FROM post WHERE ${isPublished('post')} AND audience = 'public'
    UNION ALL
    SELECT relation.actor_id, post.position, post.id
    FROM post JOIN relation ON relation.kind = 'follow' AND relation.target_actor_id = post.author_actor_id
    WHERE ${isPublished('post')} AND post.audience = 'public'
      AND NOT EXISTS (SELECT FROM merged_author WHERE merged_author.actor_id = post.author_actor_id)
    ORDER BY 1, 2`;

/**
 * Candidates for home timelines: each author's own posts, and those of followed authors that are not merged. Of merged
 * authors, who have too many followers or posts, the posts are looked up where a timeline is read. There may be rows too
 * many, which whoever reads passes over; there is never one too few, in whatever order a batch is written:
 *
 * A fan-out comes after the post was written and reads who follows; a backfill comes after the follow was written and
 * reads what was posted (each by the table and key of that row). A post that is unrestricted is fanned out as if it were new;
 * while it is restricted, its rows are passed over. For a row to be missing, the fan-out would have to come
 * before the follow and the backfill before the post: post < fan-out < follow < backfill < post, a circle. So whichever
 * of post and follow comes second adds the row. What takes rows away is of an earlier follow, whose key orders it before
 * the next one's backfill, or of a post that is gone.
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
    verifications: timelineFolds({ fanOutThreshold, mostCopied: MOST_COPIED }),
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
