import type { Recorded } from '../../src/log/recorded.js';
import { markUnsettled } from '../relations/hidden-up-to.sql.js';
import { addToCountsNow } from '../relations/relations.projection.js';
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
  WITH changed AS MATERIALIZED (
    SELECT row.actor_id, actor.state FROM ${rows} LEFT JOIN actor USING (actor_id)
    WHERE actor.state IS DISTINCT FROM 'erased'
  ), marked AS (${markUnsettled('changed')}
  )
  INSERT INTO actor (actor_id, handle, display_name, bio, website, revision, created_at, state)
  SELECT actor_id, NULL, '', '', '', 1, 0, 'erased' FROM changed
  ON CONFLICT (actor_id) DO UPDATE SET handle = excluded.handle, display_name = excluded.display_name,
    bio = excluded.bio, website = excluded.website, revision = excluded.revision,
    created_at = excluded.created_at, state = excluded.state`,
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

const erased = `(SELECT actor_id FROM actor WHERE state = 'erased')`;

/**
 * Removes the data of all erased persons at the end of a load. Scans the tables, which have no indexes yet. Their
 * relations are removed already, since they must not be counted.
 */
const eraseAll = `
  UPDATE post SET status = 'deleted', text = '', revision = 1, last_edit_app_id = NULL, last_edit_at = NULL
  WHERE status <> 'deleted' AND author_actor_id IN ${erased};
  DELETE FROM post_count WHERE actor_id IN ${erased};
  DELETE FROM block WHERE actor_id IN ${erased} OR target_actor_id IN ${erased};
  DELETE FROM inbox WHERE actor_id IN ${erased} OR source_actor_id IN ${erased};
  DELETE FROM timeline WHERE actor_id IN ${erased};
  DELETE FROM timeline_start WHERE actor_id IN ${erased}`;

/**
 * `stepSize`: rows in all. Each condition is an index and its order, so that a step passes nothing but the dead entries of
 * those before it.
 */
const deleteSome = (
  stepSize: number,
  table: string,
  conditions: readonly string[],
  order = 'position',
): string => {
  const rowsWhere = (condition: string) => `
      (SELECT found.ctid FROM account CROSS JOIN LATERAL (
        SELECT ctid FROM ${table} WHERE ${condition} ORDER BY ${order} LIMIT ${Math.ceil(stepSize / conditions.length)}) found)`;
  return `DELETE FROM ${table} WHERE ctid = ANY (ARRAY (${conditions.map(rowsWhere).join(' UNION ALL')}))`;
};

/**
 * Removes the next rows about an erased person that have no text: follows in both directions, likes of the person,
 * blocks, entries of the inbox and of the timeline. Reads skip them, since the person is erased, and the person's posts
 * in other timelines, which are deleted. Likes of the person's posts stay: they are not visible.
 */
const settleErasures = (stepSize: number): string => `
    WITH account AS MATERIALIZED (
      SELECT actor_id FROM unsettled JOIN actor USING (actor_id) WHERE state = 'erased' ORDER BY actor_id LIMIT 1
    ), ended AS (
      ${deleteSome(
        stepSize,
        'relation',
        [
          'relation.actor_id = account.actor_id',
          `relation.target_actor_id = account.actor_id AND relation.kind = 'follow'`,
        ],
        'created_at, position',
      )}
      RETURNING *
    ), counted AS (${addToCountsNow('ended', -1)}
    ), forgotten AS (
      DELETE FROM follow_start USING ended
      WHERE follow_start.actor_id = ended.actor_id AND follow_start.author_actor_id = ended.target_actor_id
    ), blocks AS (
      ${deleteSome(stepSize, 'block', ['block.actor_id = account.actor_id', 'block.target_actor_id = account.actor_id'])}
      RETURNING 1
    ), entries AS (
      ${deleteSome(stepSize, 'inbox', ['inbox.actor_id = account.actor_id', 'inbox.source_actor_id = account.actor_id'])}
      RETURNING 1
    ), fanned AS (
      ${deleteSome(stepSize, 'timeline', ['timeline.actor_id = account.actor_id'])}
      RETURNING 1
    ), finished AS (
      SELECT actor_id FROM account
      WHERE NOT EXISTS (SELECT FROM ended) AND NOT EXISTS (SELECT FROM blocks) AND NOT EXISTS (SELECT FROM entries)
        AND NOT EXISTS (SELECT FROM fanned)
    ), uncounted AS (
      DELETE FROM relation_count USING finished WHERE relation_count.actor_id = finished.actor_id
    ), starts AS (
      DELETE FROM timeline_start USING finished WHERE timeline_start.actor_id = finished.actor_id
    ), marks AS (
      DELETE FROM inbox_mark USING finished WHERE inbox_mark.actor_id = finished.actor_id
    ), settled AS (
      DELETE FROM unsettled USING finished WHERE unsettled.actor_id = finished.actor_id
    )
    SELECT EXISTS (SELECT FROM account) AS more`;

const statements = [markErased, deletePosts, deletePostCounts] as const;

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
 * Removes a person from every read model that answers reads: no table keeps a personal text. The rows without one go
 * in steps after the batch. Ids and times stay where other rows refer to them. This projection changes the tables of
 * others, so that an erasure can be read in one place. Later statements check the mark (see erased.sql.ts).
 */
export const erasure = (stepSize: number): Projection => ({
  name: 'erasure',
  version: 3,
  tables: '',
  backfillSql: eraseAll,
  settling: { name: 'erasure.settle', after: ['account.erased'], sql: settleErasures(stepSize) },
  handlers: {
    'account.erased': erase,
  },
});
