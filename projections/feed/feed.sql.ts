import { entriesOf, entryColumns, isEntryVisible } from '../inbox/inbox.sql.js';
import { postsJson, postWithId } from '../posts/post.sql.js';
import { isRelationVisible, relationColumns } from '../relations/relation.sql.js';
import { objectJson } from '../runner/columns.js';
import { isAccountVisible } from '../visibility.sql.js';
import { isAuthorInView, mayBeHeldByCaller } from './changes.sql.js';

/** The `seq` of an inbox addition, which sorts it behind all other changes of its event. */
const LAST = '9223372036854775807';

const columns = {
  position: 'numeric',
  seq: 'numeric',
  kind: 'text',
  at: 'bigint',
  actor_id: 'text',
  post_id: 'text',
  relation_kind: 'text',
  target_id: 'text',
  target_actor_id: 'text',
  generation: 'integer',
  entry_id: 'text',
} as const;

const columnNames = Object.keys(columns);

export const CHANGE_COLUMN_DEFINITIONS = Object.entries(columns)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');

export const changeRecord = (row: string): string =>
  `ROW(${columnNames.map((name) => `${row}.${name}`).join(', ')})`;

export const changeColumns = (change: string): string =>
  columnNames.map((name) => (name === 'entry_id' ? 'NULL AS entry_id' : `${change}.${name}`)).join(', ');

export const INBOX_CHANGE_COLUMNS = `inbox.position, ${LAST}, 'inbox.added', inbox.created_at, inbox.source_actor_id, NULL, NULL, NULL,
  NULL, NULL::integer, inbox.id`;

export const isChangeForCaller = (schema: string, change: string): string => `
  CASE WHEN ${change}.audience = 'author' THEN ${isAuthorInView(schema, `${change}.owner_actor_id`)}
      OR (${change}.kind = 'post.deleted' AND ${mayBeHeldByCaller(schema, change)})
    ELSE ${change}.owner_actor_id = caller.actor_id AND ${change}.kind LIKE 'relation.%' END`;

export const eventsJson = (schema: string, page: string): string => `(
  SELECT coalesce(json_agg(json_build_object('position', page.position, 'kind', page.kind, 'at', page.at,
    'actorId', page.actor_id, 'postId', page.post_id, 'subject', ${subjectJson(schema)})
    ORDER BY page.position, page.seq), '[]')
  FROM ${page})`;

export const postsOfPage = (schema: string, page: string): string =>
  postsJson(
    schema,
    `(
      SELECT named.* FROM (
        SELECT DISTINCT page.post_id FROM ${page} WHERE page.kind IN ('post.created', 'post.edited')) changed
      CROSS JOIN LATERAL ${postWithId(schema, 'changed.post_id')} named)`,
    'ASC',
  );

function subjectJson(schema: string): string {
  const relationOfPage = objectJson(relationColumns('page', 'relation_kind'));
  return `CASE page.kind
    WHEN 'relation.ended' THEN json_build_object('relation', ${relationOfPage})
    WHEN 'relation.established' THEN (
      SELECT json_build_object('relation', ${relationOfPage}) FROM ${schema}.relation
      WHERE relation.actor_id = page.actor_id AND relation.kind = page.relation_kind
        AND relation.target_id = page.target_id AND relation.generation = page.generation
        AND ${isRelationVisible(schema, 'relation')})
    WHEN 'profile.changed' THEN (
      SELECT json_build_object('profile', json_build_object(
        'actorId', actor.actor_id, 'handle', actor.handle, 'displayName', actor.display_name,
        'bio', actor.bio, 'website', actor.website))
      FROM ${schema}.actor
      WHERE actor.actor_id = page.actor_id AND ${isAccountVisible(schema, 'actor')})
    WHEN 'inbox.added' THEN (
      SELECT json_build_object('entry', json_strip_nulls(${objectJson(entryColumns('inbox'))})) FROM ${entriesOf(schema)} inbox
      WHERE inbox.actor_id = caller.actor_id AND inbox.id = page.entry_id AND ${isEntryVisible(schema, 'inbox')})
    END`;
}
