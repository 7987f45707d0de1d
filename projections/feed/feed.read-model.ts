import { entryJson, isEntryShown } from '../inbox/inbox.sql.js';
import { postsJson, presentPosts } from '../posts/post.sql.js';
import type { PostColumns } from '../posts/post.sql.js';
import { isEligible, relationJson } from '../reconcile/full-view.sql.js';
import type { ReadQuery } from '../runner/read-query.js';
import { isActorVisible } from '../visibility.sql.js';
import { NOW, isCovered, isInView, isMissed, wasReset } from './changes.sql.js';
import type { FeedEvent, Subject } from './event.js';

/** What changed for a caller, in the order of the log. */
export interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** Everything up to this position has been told, or was not for this caller. */
  readonly cursor: number;
  /** What changed since the cursor cannot be told: the caller has to reconcile. */
  readonly replace: boolean;
}

interface Row {
  readonly position: number;
  readonly kind: Subject['kind'];
  readonly at: number;
  readonly actorId: string;
  readonly postId: string | null;
  /** Of the one that belongs to the kind; null: the caller may not see it now. */
  readonly subject: object | null;
}

interface PageJson extends Pick<FeedPage, 'cursor' | 'replace'> {
  readonly events: readonly Row[];
  readonly posts: PostColumns;
}

/** How many changes, whosever, are looked through for a page: the rest is for the next one. */
const SCAN = 1_000;
/** Behind whatever else one event brought. */
const LAST = '9223372036854775807';

/**
 * A page of what changed for the caller behind a cursor, `limit` events and whatever more has the last one's position.
 * Undefined: begins now, with nothing.
 */
export const feedOf: ReadQuery<{ readonly cursor: number | undefined; readonly limit: number }, FeedPage> = {
  name: 'feed-of',
  values: ({ cursor, limit }) => [cursor === undefined ? null : String(cursor), limit],
  sql: ({ schema, parameter }) => {
    const [cursor, limit] = [`${parameter(1)}::numeric`, `${parameter(2)}::integer`];
    const edited = `(
      SELECT page.post_id, max(page.position) AS position FROM page
      WHERE page.kind IN ('post.created', 'post.edited') GROUP BY page.post_id)`;
    return `(
    WITH since AS MATERIALIZED (
      SELECT ${cursor} AS position WHERE ${isCovered(schema, cursor)} AND NOT ${wasReset(schema, cursor)}
    ), looked_at AS MATERIALIZED (
      SELECT * FROM ${schema}.change WHERE change.position > (SELECT position FROM since)
      ORDER BY change.position FETCH FIRST ${SCAN} ROWS WITH TIES
    ), reach AS MATERIALIZED (
      SELECT CASE WHEN count(*) < ${SCAN} THEN ${NOW} ELSE max(looked_at.position) END
        AS position
      FROM looked_at
    ), told AS MATERIALIZED (
      SELECT position, seq, kind, at, actor_id, post_id, relation_kind, target_id, target_actor_id, generation,
        NULL AS entry_id
      FROM looked_at WHERE ${isTold(schema, 'looked_at')}
      UNION ALL
      SELECT inbox.position, ${LAST}, 'inbox.added', inbox.created_at, inbox.source_actor_id, NULL, NULL, NULL, NULL,
        NULL, inbox.id
      FROM ${schema}.inbox
      WHERE inbox.actor_id = caller.actor_id AND inbox.position > (SELECT position FROM since)
        AND inbox.position <= (SELECT position FROM reach)
    ), page AS MATERIALIZED (
      SELECT * FROM told ORDER BY position FETCH FIRST (${limit}) ROWS WITH TIES
    )
    SELECT json_build_object(
      'events', (
        SELECT coalesce(json_agg(json_build_object('position', page.position, 'kind', page.kind, 'at', page.at,
          'actorId', page.actor_id, 'postId', page.post_id, 'subject', ${subjectJson(schema)})
          ORDER BY page.position, page.seq), '[]')
        FROM page),
      'posts', ${postsJson(schema, edited, 'ASC')},
      'cursor', CASE
        WHEN NOT EXISTS (SELECT FROM since) THEN ${NOW}
        WHEN (SELECT count(*) FROM told) > (SELECT count(*) FROM page) THEN (SELECT max(page.position) FROM page)
        ELSE (SELECT position FROM reach) END,
      'replace', ${cursor} IS NOT NULL AND NOT EXISTS (SELECT FROM since)))`;
  },
  present(json) {
    const { events, posts, cursor, replace } = json as PageJson;
    const byId = new Map(presentPosts(posts).map((post) => [post.id, post]));
    const subjectOf = ({ kind, postId, subject }: Row) => {
      if (kind === 'post.deleted') return { postId };
      if (kind !== 'post.created' && kind !== 'post.edited') return subject;
      const post = byId.get(postId ?? '');
      return post ? { post } : null;
    };
    const told = events.flatMap((row) => {
      const { position, kind, at, actorId } = row;
      const subject = subjectOf(row);
      return subject ? [{ position, kind, at, actorId, ...subject } as FeedEvent] : [];
    });
    return { events: told, cursor, replace };
  },
};

/** Whether the change under this alias is for the caller: an author's for the followers, all else for its owner. */
const isTold = (schema: string, change: string): string => `
  CASE WHEN ${change}.audience = 'author' THEN ${isInView(schema, `${change}.owner_actor_id`)}
      OR (${change}.kind = 'post.deleted' AND ${isMissed(schema, change)})
    ELSE ${change}.owner_actor_id = caller.actor_id AND ${change}.kind LIKE 'relation.%' END`;

/** What the row of `page` is about, unless it is a post; null: not to be seen by the caller now. */
function subjectJson(schema: string): string {
  const asItWas = relationJson({
    kind: 'page.relation_kind',
    actorId: 'page.actor_id',
    targetId: 'page.target_id',
    targetActorId: 'page.target_actor_id',
    generation: 'page.generation',
  });
  return `CASE page.kind
    WHEN 'relation.ended' THEN json_build_object('relation', ${asItWas})
    WHEN 'relation.established' THEN (
      SELECT json_build_object('relation', ${asItWas}) FROM ${schema}.relation
      WHERE relation.actor_id = page.actor_id AND relation.kind = page.relation_kind
        AND relation.target_id = page.target_id AND relation.generation = page.generation
        AND ${isEligible(schema, 'relation')})
    WHEN 'profile.changed' THEN (
      SELECT json_build_object('profile', json_build_object(
        'actorId', actor.actor_id, 'handle', actor.handle, 'displayName', actor.display_name,
        'bio', actor.bio, 'website', actor.website))
      FROM ${schema}.actor
      WHERE actor.actor_id = page.actor_id AND ${isActorVisible(schema, 'actor.actor_id')})
    WHEN 'inbox.added' THEN (
      SELECT json_build_object('entry', ${entryJson('inbox')}) FROM ${schema}.inbox
      WHERE inbox.actor_id = caller.actor_id AND inbox.id = page.entry_id AND ${isEntryShown(schema, 'inbox')})
    END`;
}
