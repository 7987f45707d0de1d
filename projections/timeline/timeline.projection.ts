import { relationKey } from '../relations/relations.projection.js';
import type { Projection, Statement } from '../runner/projection.js';
import { isPublished } from '../visibility.sql.js';
import { timelineVerifications } from './timeline.verification.js';

export interface TimelineSettings {
  /** An author with more followers becomes a fan-out-on-read author. */
  readonly fanOutThreshold: number;
  /** Newest entries of a timeline that are kept. Somewhat more stay until the next trim. */
  readonly kept?: number;
  /** Newest posts of an author that a follow copies. */
  readonly copied?: number;
}

type Limits = Required<TimelineSettings>;

// A page of 50, which reads 51, needs no older posts of the author than these.
const COPIED = 60;
const KEPT = 1_000;

/**
 * CTEs over `row`, which has `author_actor_id`. `large` has the authors that become fan-out-on-read authors now,
 * permanently. `fanned` has the rows of all other authors.
 */
const classifyAuthors = (threshold: number): string => `
    large AS MATERIALIZED (
      SELECT author.author_actor_id FROM (SELECT DISTINCT author_actor_id FROM row) author
      JOIN relation_count ON relation_count.actor_id = author.author_actor_id
      WHERE relation_count.followers > ${threshold}
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

/**
 * Adds posts to timelines, and trims some of these: each in its turn, so that no post pays for all its followers. A
 * timeline that is trimmed has every entry from its start on. Rows before it are removed in a bounded number.
 */
const insertIntoTimelines = (row: string, { fanOutThreshold, kept }: Limits): string => `
    WITH row AS MATERIALIZED (${row}
    ), ${classifyAuthors(fanOutThreshold)}, added AS (
      INSERT INTO timeline (actor_id, position)
      SELECT author_actor_id, position FROM row
      UNION ALL
      SELECT relation.actor_id, fanned.position
      FROM fanned JOIN relation ON relation.kind = 'follow' AND relation.target_actor_id = fanned.author_actor_id
      ON CONFLICT DO NOTHING
      RETURNING actor_id, position
    ), excess AS MATERIALIZED (
      SELECT DISTINCT added.actor_id, newest.position FROM added CROSS JOIN LATERAL (
        SELECT entry.position FROM timeline entry WHERE entry.actor_id = added.actor_id
        ORDER BY entry.position DESC OFFSET ${kept} LIMIT 1) newest
      WHERE hashtext(added.actor_id || added.position) % ${Math.ceil(kept / 2)} = 0
    ), start AS (
      INSERT INTO timeline_start (actor_id, position) SELECT actor_id, position + 1 FROM excess
      ON CONFLICT (actor_id) DO UPDATE SET position = greatest(timeline_start.position, excluded.position)
    )
    DELETE FROM timeline WHERE ctid = ANY (ARRAY (
      SELECT entry.ctid FROM excess CROSS JOIN LATERAL (
        SELECT timeline.ctid FROM timeline
        WHERE timeline.actor_id = excess.actor_id AND timeline.position <= excess.position
        ORDER BY timeline.position LIMIT ${2 * kept}
      ) entry))`;

const fanOut = (limits: Limits): Statement<PublicPost> => ({
  name: 'timeline.fan-out',
  bulkSql: null,
  // Same table and key as the post's own row, so this write follows it.
  table: 'post',
  key: (row) => row.post_id,
  sql: insertIntoTimelines(
    `
      SELECT * FROM json_to_recordset($1) AS row(post_id text, author_actor_id text,
        audience text, position bigint)
      WHERE audience = 'public'`,
    limits,
  ),
});

// Actors who followed the author during the restriction did not get the post.
const fanOutAgain = (limits: Limits): Statement<Pick<PublicPost, 'post_id'>> => ({
  name: 'timeline.fan-out-again',
  bulkSql: null,
  table: 'post',
  key: (row) => row.post_id,
  sql: insertIntoTimelines(
    `
      SELECT post.author_actor_id, post.position
      FROM json_to_recordset($1) AS named(post_id text)
      JOIN post ON post.id = named.post_id AND post.audience = 'public' AND ${isPublished('post')}`,
    limits,
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

const backfill = ({ fanOutThreshold, copied }: Limits): Statement<Follow> => ({
  name: 'timeline.backfill',
  bulkSql: null,
  // Same table and key as the follow's own row, so this write follows it.
  table: 'relation',
  key: keyOfFollow,
  sql: `
    WITH row AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1) AS row(actor_id text, author_actor_id text)
    ), ${classifyAuthors(fanOutThreshold)}, newest AS MATERIALIZED (
      SELECT fanned.actor_id, fanned.author_actor_id, post.position, post.n
      FROM fanned CROSS JOIN LATERAL (
        SELECT post.position, row_number() OVER (ORDER BY post.position DESC) AS n FROM post
        WHERE post.author_actor_id = fanned.author_actor_id AND ${isPublished('post')}
        ORDER BY post.position DESC LIMIT ${copied} + 1) post
    ), start AS (
      INSERT INTO follow_start (actor_id, author_actor_id, position)
      SELECT actor_id, author_actor_id, position + 1 FROM newest WHERE n > ${copied}
      ON CONFLICT (actor_id, author_actor_id) DO UPDATE SET position = excluded.position
    )
    INSERT INTO timeline (actor_id, position)
    SELECT actor_id, position FROM newest WHERE n <= ${copied}
    ON CONFLICT DO NOTHING`,
});

// An author who has become a fan-out-on-read author has written the entries first, and newer posts without any.
const removeFollowedPosts = ({ kept }: Limits): Statement<Follow> => ({
  name: 'timeline.take-away',
  bulkSql: null,
  table: 'relation',
  key: keyOfFollow,
  sql: `
    WITH ended AS MATERIALIZED (
      SELECT row.actor_id, row.author_actor_id,
        greatest((SELECT position FROM timeline_start WHERE timeline_start.actor_id = row.actor_id),
          (SELECT position FROM follow_start
          WHERE follow_start.actor_id = row.actor_id AND follow_start.author_actor_id = row.author_actor_id), 0) AS start
      FROM json_to_recordset($1) AS row(actor_id text, author_actor_id text)
    ), forgotten AS (
      DELETE FROM follow_start USING ended
      WHERE follow_start.actor_id = ended.actor_id AND follow_start.author_actor_id = ended.author_actor_id
    ) ${deleteEntries(`
      SELECT ended.actor_id, copied.position
      FROM ended CROSS JOIN LATERAL (
        SELECT post.position FROM post
        WHERE post.author_actor_id = ended.author_actor_id AND ${isPublished('post')} AND post.position >= ended.start
        ORDER BY post.position LIMIT ${kept}
      ) copied`)}`,
});

/**
 * Derives all timelines in a build. Rows are sorted by key, so that a page of a timeline spans few blocks of the disk.
 */
const deriveTimelines = ({ fanOutThreshold, kept }: Limits): string => `
    INSERT INTO merged_author (actor_id)
    SELECT actor_id FROM relation_count WHERE followers > ${fanOutThreshold};
    INSERT INTO timeline (actor_id, position)
    SELECT actor_id, position FROM (
      SELECT actor_id, position, row_number() OVER (PARTITION BY actor_id ORDER BY position DESC) AS n FROM (
        SELECT author_actor_id AS actor_id, position FROM post WHERE ${isPublished('post')} AND audience = 'public'
        UNION ALL
        SELECT relation.actor_id, post.position
        FROM post JOIN relation ON relation.kind = 'follow' AND relation.target_actor_id = post.author_actor_id
        WHERE ${isPublished('post')} AND post.audience = 'public'
          AND NOT EXISTS (SELECT FROM merged_author WHERE merged_author.actor_id = post.author_actor_id)) entry
    ) numbered WHERE n <= ${kept};
    INSERT INTO timeline_start (actor_id, position)
    SELECT actor_id, min(position) FROM timeline GROUP BY actor_id HAVING count(*) >= ${kept}`;

/**
 * Candidates for home timelines: each actor's own posts, and posts of followed authors with few followers. Reads look
 * up the posts of fan-out-on-read authors, who have many, and those from before the start of a timeline or of a follow.
 *
 * Extra rows are possible, and reads skip them. No row from these starts on is ever missing, in whatever order a batch is
 * written:
 *
 * The key of the post orders a fan-out behind the post; the fan-out reads the followers. The key of the follow orders a
 * backfill behind the follow; the backfill reads the posts. An unrestricted post is fanned out again; reads skip its
 * rows while it is restricted. A missing row would need a fan-out before the follow and a backfill before the post.
 * That is a circle: post < fan-out < follow < backfill < post. So the later of post and follow adds the row. A removal
 * belongs to an earlier follow, whose key orders it before the next backfill, or to a deleted post. A start lies behind
 * rows that its statement has seen, so it hides no row that reads would not look up.
 */
export const timeline = (settings: TimelineSettings): Projection => {
  const limits = { kept: KEPT, copied: COPIED, ...settings };
  const [fanOutPosts, fanOutPostsAgain] = [fanOut(limits), fanOutAgain(limits)];
  const [backfillPosts, removePosts] = [backfill(limits), removeFollowedPosts(limits)];
  return {
    name: 'timeline',
    version: 3,
    tables: `
      CREATE TABLE timeline (actor_id text COLLATE "C" NOT NULL, position bigint NOT NULL);
      CREATE TABLE timeline_start (actor_id text COLLATE "C" PRIMARY KEY, position bigint NOT NULL);
      CREATE TABLE follow_start (
        actor_id text COLLATE "C" NOT NULL,
        author_actor_id text COLLATE "C" NOT NULL,
        position bigint NOT NULL,
        PRIMARY KEY (actor_id, author_actor_id)
      );
      CREATE TABLE merged_author (actor_id text COLLATE "C" PRIMARY KEY)`,
    indexes: `
      ALTER TABLE timeline ADD PRIMARY KEY (actor_id, position);
      CREATE INDEX follow_start_newest ON follow_start (actor_id, position)`,
    backfillSql: deriveTimelines(limits),
    verifications: timelineVerifications(settings),
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
          write(removePosts, { actor_id: data.actorId, author_actor_id: data.targetActorId });
      },
    },
  };
};
