import type { Recorded } from '../../src/log/recorded.js';
import type { Projection, Statement, Write } from '../runner/projection.js';

interface Erased {
  readonly actor_id: string;
}

const rows = 'json_to_recordset($1) AS row(actor_id text)';

/**
 * All statements of an erasure have one table and key, so that those of one person keep their order: the mark comes
 * first.
 */
const personKey = { table: 'actor', key: ({ actor_id }: Erased) => actor_id };

const eraseStatement = (name: string, sql: string): Statement<Erased> => ({
  ...personKey,
  name,
  sql,
  bulkSql: null,
});

/**
 * Sets the mark that every statement with personal data checks. The row is the same, whatever was known of the person.
 */
const markErased: Statement<Erased> = {
  ...personKey,
  name: 'actor.erase',
  sql: `
  INSERT INTO actor (actor_id, handle, display_name, bio, website, revision, created_at, state)
  SELECT actor_id, NULL, '', '', '', 1, 0, 'erased' FROM ${rows}
  ON CONFLICT (actor_id) DO UPDATE SET handle = excluded.handle, display_name = excluded.display_name,
    bio = excluded.bio, website = excluded.website, revision = excluded.revision,
    created_at = excluded.created_at, state = excluded.state
  WHERE actor.state <> 'erased'`,
};

// Posts stay as deleted posts, because replies refer to them. The subqueries use indexes, however many posts are
// deleted already.
const deletePosts = eraseStatement(
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

const deletePostCounts = eraseStatement(
  'post_count.erase',
  `DELETE FROM post_count USING ${rows} WHERE post_count.actor_id = row.actor_id`,
);

const endRelationsOf = (erased: string, condition: string): string => `ended AS (
    DELETE FROM relation WHERE ${condition} RETURNING kind, actor_id, target_actor_id, hidden
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

// Deletes follows in both directions and the person's own likes. Likes of the person's posts stay: they are not
// visible.
const endRelations = eraseStatement(
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

const endBlocks = eraseStatement(
  'block.erase',
  `DELETE FROM block USING ${rows}
  WHERE block.actor_id = row.actor_id OR block.target_actor_id = row.actor_id`,
);

const deleteInboxEntries = eraseStatement(
  'inbox.erase',
  `DELETE FROM inbox WHERE ctid = ANY (ARRAY (
    SELECT entry.ctid FROM ${rows} CROSS JOIN LATERAL (
      SELECT own.ctid FROM inbox own WHERE own.actor_id = row.actor_id
      UNION ALL
      SELECT caused.ctid FROM inbox caused WHERE caused.source_actor_id = row.actor_id) entry))`,
);

// Reads skip the person's posts in other timelines, because the posts are deleted.
const deleteTimeline = eraseStatement(
  'timeline.erase',
  `WITH row AS MATERIALIZED (SELECT actor_id FROM ${rows}), start AS (
    DELETE FROM timeline_start USING row WHERE timeline_start.actor_id = row.actor_id
  ), follows AS (
    DELETE FROM follow_start USING row WHERE follow_start.actor_id = row.actor_id
  )
  DELETE FROM timeline USING row WHERE timeline.actor_id = row.actor_id`,
);

const erased = `(SELECT actor_id FROM actor WHERE state = 'erased')`;

/** Removes the data of all erased persons at the end of a load. Scans the tables, which have no indexes yet. */
const eraseAll = `
  UPDATE post SET status = 'deleted', text = '', revision = 1, last_edit_app_id = NULL, last_edit_at = NULL
  WHERE status <> 'deleted' AND author_actor_id IN ${erased};
  DELETE FROM post_count WHERE actor_id IN ${erased};
  WITH ${endRelationsOf(
    erased,
    `actor_id IN ${erased} OR (kind = 'follow' AND target_actor_id IN ${erased})`,
  )};
  DELETE FROM block WHERE actor_id IN ${erased} OR target_actor_id IN ${erased};
  DELETE FROM inbox WHERE actor_id IN ${erased} OR source_actor_id IN ${erased};
  DELETE FROM timeline WHERE actor_id IN ${erased};
  DELETE FROM timeline_start WHERE actor_id IN ${erased}`;

const statements = [
  markErased,
  deletePosts,
  deletePostCounts,
  endRelations,
  endBlocks,
  deleteInboxEntries,
  deleteTimeline,
] as const;

/**
 * Writes the statements of an erasure, after a check of the type: no other event with an account's id may erase the
 * account.
 */
function erase({ event }: Recorded, write: Write): void {
  if (event.type !== 'account.erased')
    throw new Error(`the handler of erasures got an event that erases no account: ${event.type}`);
  for (const statement of statements) write(statement, { actor_id: event.data.actorId });
}

/**
 * Removes a person from every read model that answers reads: no table keeps a personal text. Ids and times stay where
 * other rows refer to them. This projection changes the tables of others, so that an erasure can be read in one place.
 * Later statements check the mark (see erased.sql.ts).
 */
export const erasure: Projection = {
  name: 'erasure',
  version: 3,
  tables: '',
  backfillSql: eraseAll,
  handlers: {
    'account.erased': erase,
  },
};
