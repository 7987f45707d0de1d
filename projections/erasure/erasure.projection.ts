import type { Recorded } from '../../src/log/recorded.js';
import type { Projection, Statement, Write } from '../runner/projection.js';

interface Erased {
  readonly actor_id: string;
}

const rows = 'json_to_recordset($1) AS row(actor_id text)';

/** All of one person keep the order in which they are written, the mark first. */
const ofPerson = { table: 'actor', key: ({ actor_id }: Erased) => actor_id };

/** A statement about who is marked. In a build, {@link ofAll} does its work. */
const aboutErased = (name: string, sql: string): Statement<Erased> => ({
  ...ofPerson,
  name,
  sql,
  bulkSql: null,
});

/** The mark that every other statement minds; the same whatever was known of the person. */
const mark: Statement<Erased> = {
  ...ofPerson,
  name: 'actor.erase',
  sql: `
  INSERT INTO actor (actor_id, handle, display_name, bio, website, revision, created_at, state)
  SELECT actor_id, NULL, '', '', '', 1, 0, 'erased' FROM ${rows}
  ON CONFLICT (actor_id) DO UPDATE SET handle = excluded.handle, display_name = excluded.display_name,
    bio = excluded.bio, website = excluded.website, revision = excluded.revision,
    created_at = excluded.created_at, state = excluded.state
  WHERE actor.state <> 'erased'`,
};

// What others replied to stays as any deleted post does. Each is found by an index, however many are deleted already.
const emptyPosts = aboutErased(
  'post.erase',
  `UPDATE post SET status = 'deleted', text = '', revision = 1, last_edit_app_id = NULL, last_edit_at = NULL
  WHERE ctid = ANY (ARRAY (
    SELECT own.ctid FROM ${rows} CROSS JOIN LATERAL (
      SELECT shown.ctid FROM post shown
      WHERE shown.author_actor_id = row.actor_id AND shown.status = 'published'
      UNION ALL
      SELECT withheld.ctid FROM post withheld
      WHERE withheld.author_actor_id = row.actor_id AND withheld.status NOT IN ('published', 'deleted')) own))`,
);

const countNoPosts = aboutErased(
  'post_count.erase',
  `DELETE FROM post_count USING ${rows} WHERE post_count.actor_id = row.actor_id`,
);

/** Deletes relations as `which` (a condition) says, and takes follows off the counts of those who are not among `erased`. */
const endRelationsOf = (erased: string, which: string): string => `ended AS (
    DELETE FROM relation WHERE ${which} RETURNING kind, actor_id, target_actor_id, hidden
  ), uncounted AS (
    DELETE FROM relation_count WHERE actor_id IN ${erased}
  ), side AS (
    SELECT actor_id, 1 AS following, 0 AS followers, hidden::integer AS hidden FROM ended WHERE kind = 'follow'
    UNION ALL
    SELECT target_actor_id, 0, 1, hidden::integer FROM ended WHERE kind = 'follow'
  ), other AS (
    SELECT actor_id, sum(following) AS following, sum(followers) AS followers,
      sum(following * hidden) AS hidden_following, sum(followers * hidden) AS hidden_followers
    FROM side WHERE actor_id NOT IN ${erased}
    GROUP BY actor_id ORDER BY actor_id
  )
  UPDATE relation_count SET following = relation_count.following - other.following,
    followers = relation_count.followers - other.followers,
    hidden_following = relation_count.hidden_following - other.hidden_following,
    hidden_followers = relation_count.hidden_followers - other.hidden_followers
  FROM other WHERE relation_count.actor_id = other.actor_id`;

// Follows either way, and the person's own likes. Likes of their posts stay theirs who like: they are not shown.
const endRelations = aboutErased(
  'relation.erase',
  `WITH row AS MATERIALIZED (SELECT DISTINCT actor_id FROM ${rows}), ${endRelationsOf(
    '(SELECT actor_id FROM row)',
    `ctid = ANY (ARRAY (
      SELECT own.ctid FROM row CROSS JOIN LATERAL (
        SELECT relation.ctid FROM relation WHERE relation.actor_id = row.actor_id OFFSET 0) own
      UNION
      SELECT followed.ctid FROM row CROSS JOIN LATERAL (
        SELECT relation.ctid FROM relation
        WHERE relation.target_actor_id = row.actor_id AND relation.kind = 'follow' OFFSET 0) followed))`,
  )}`,
);

const endBlocks = aboutErased(
  'block.erase',
  `DELETE FROM block USING ${rows}
  WHERE block.actor_id = row.actor_id OR block.target_actor_id = row.actor_id`,
);

const emptyInboxes = aboutErased(
  'inbox.erase',
  `DELETE FROM inbox WHERE ctid = ANY (ARRAY (
    SELECT entry.ctid FROM ${rows} CROSS JOIN LATERAL (
      SELECT own.ctid FROM inbox own WHERE own.actor_id = row.actor_id
      UNION ALL
      SELECT told.ctid FROM inbox told WHERE told.source_actor_id = row.actor_id) entry))`,
);

// Of what stands in others' timelines, the posts are not there any more: whoever reads passes over them.
const emptyTimeline = aboutErased(
  'timeline.erase',
  `DELETE FROM timeline USING ${rows} WHERE timeline.actor_id = row.actor_id`,
);

const erased = `(SELECT actor_id FROM actor WHERE state = 'erased')`;

/** The same for all at once, by going through the tables: while they are loaded there is no index to find anything by. */
const ofAll = `
  UPDATE post SET status = 'deleted', text = '', revision = 1, last_edit_app_id = NULL, last_edit_at = NULL
  WHERE status <> 'deleted' AND author_actor_id IN ${erased};
  DELETE FROM post_count WHERE actor_id IN ${erased};
  WITH ${endRelationsOf(
    erased,
    `actor_id IN ${erased} OR (kind = 'follow' AND target_actor_id IN ${erased})`,
  )};
  DELETE FROM block WHERE actor_id IN ${erased} OR target_actor_id IN ${erased};
  DELETE FROM inbox WHERE actor_id IN ${erased} OR source_actor_id IN ${erased};
  DELETE FROM timeline WHERE actor_id IN ${erased}`;

const statements = [
  mark,
  emptyPosts,
  countNoPosts,
  endRelations,
  endBlocks,
  emptyInboxes,
  emptyTimeline,
] as const;

/** Minds the type itself: whoever else has an account's id in it is not to lose everything. */
function erase({ event }: Recorded, write: Write): void {
  if (event.type !== 'account.erased') throw new Error(`${event.type} erases nobody`);
  for (const statement of statements) write(statement, { actor_id: event.data.actorId });
}

/**
 * Takes a person out of every read model that answers reads, at once: nothing that they wrote is left in any table. What
 * they did stays as ids and times where others' things refer to it. It changes the other projections' tables, so that
 * what an erasure does can be read in one place; whatever comes behind it finds the mark (see erased.sql.ts).
 */
export const erasure: Projection = {
  name: 'erasure',
  version: 2,
  tables: '',
  backfillSql: ofAll,
  handlers: {
    'account.erased': erase,
  },
};
