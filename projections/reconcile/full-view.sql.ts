import { entriesOf, entryColumns, isEntryVisible } from '../inbox/inbox.sql.js';
import { POSITION_AFTER_NEWEST_POST } from '../posts/post.sql.js';
import { isRelationVisible, relationColumns } from '../relations/relation.sql.js';
import { columnsJson } from '../runner/columns.js';
import { timelineCandidates } from '../timeline/timeline.sql.js';
import { isActorVisible, isPostVisible, isPublished } from '../visibility.sql.js';

export interface ViewSize {
  readonly posts: number;
  readonly relations: number;
  readonly entries: number;
}

export const publicPosts = (schema: string, { posts }: ViewSize): string => `(
  SELECT candidate.*
  FROM ${schema}.post candidate
  WHERE candidate.audience = 'public' AND ${isPostVisible(schema, 'candidate')}
  ORDER BY candidate.position DESC
  LIMIT ${posts})`;

export const ownPosts = (schema: string, { posts }: ViewSize): string => `(
  SELECT candidate.*
  FROM ${schema}.post candidate
  WHERE ${isPublished('candidate')} AND candidate.author_actor_id = caller.actor_id
  ORDER BY candidate.position DESC
  LIMIT ${posts})`;

export function followedPosts(schema: string, { posts }: ViewSize): string {
  const candidates = timelineCandidates(schema, {
    after: POSITION_AFTER_NEWEST_POST,
    most: String(posts),
    isShown: (author) => isActorVisible(schema, author),
  });
  return `(${candidates} ORDER BY position DESC LIMIT ${posts})`;
}

export const relationsJson = (from: string): string => `(
  SELECT ${columnsJson(relationColumns('relation'), 'relation.created_at DESC, relation.position DESC')}
  FROM ${from} relation)`;

const SCAN_FACTOR = 10;

export const visibleRelations = (schema: string, { relations }: ViewSize): string => `(
  SELECT * FROM (
    SELECT * FROM ${schema}.relation
    WHERE relation.actor_id = caller.actor_id
    ORDER BY relation.created_at DESC, relation.position DESC LIMIT ${relations * SCAN_FACTOR}
  ) own
  WHERE ${isRelationVisible(schema, 'own')}
  ORDER BY own.created_at DESC, own.position DESC
  LIMIT ${relations})`;

export const entriesJson = (from: string): string => `(
  SELECT ${columnsJson(entryColumns('entry'), 'entry.position DESC')}
  FROM ${from} entry)`;

export const visibleEntries = (schema: string, { entries }: ViewSize): string => `(
  SELECT * FROM (
    SELECT * FROM ${entriesOf(schema)} inbox
    WHERE inbox.actor_id = caller.actor_id
    ORDER BY inbox.position DESC LIMIT ${entries * SCAN_FACTOR}
  ) recent
  WHERE ${isEntryVisible(schema, 'recent')}
  ORDER BY recent.position DESC
  LIMIT ${entries})`;
