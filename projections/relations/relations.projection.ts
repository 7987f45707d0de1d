import type { RelationEvent } from '../../src/domain/relation/events.js';
import { isErased, isInactive } from '../erasure/erased.sql.js';
import type { Projection, Statement } from '../runner/projection.js';
import { relationVerifications } from './relations.verification.js';

interface Relation {
  readonly actor_id: string;
  readonly kind: string;
  readonly target_id: string;
  readonly target_actor_id: string;
  readonly generation: number;
}

interface Established extends Relation {
  readonly created_at: number;
  readonly position: string;
}

export const relationKey = (row: Pick<Relation, 'actor_id' | 'kind' | 'target_id'>) =>
  `${row.actor_id}.${row.kind}.${row.target_id}`;

const addToCounts = (changed: string, by: 1 | -1): string => `
  INSERT INTO relation_count (actor_id, following, followers, hidden_following, hidden_followers)
  SELECT actor_id, sum(following), sum(followers), coalesce(sum(following) FILTER (WHERE hidden), 0),
    coalesce(sum(followers) FILTER (WHERE hidden), 0)
  FROM (
    SELECT actor_id, ${by} AS following, 0 AS followers, hidden FROM ${changed} WHERE kind = 'follow'
    UNION ALL
    SELECT target_actor_id, 0, ${by}, hidden FROM ${changed} WHERE kind = 'follow'
  ) AS side
  GROUP BY actor_id ORDER BY actor_id
  ON CONFLICT (actor_id) DO UPDATE SET following = relation_count.following + excluded.following,
    followers = relation_count.followers + excluded.followers,
    hidden_following = relation_count.hidden_following + excluded.hidden_following,
    hidden_followers = relation_count.hidden_followers + excluded.hidden_followers`;

const isHidden = (follow: string): string =>
  `(${isInactive(`${follow}.actor_id`)} OR ${isInactive(`${follow}.target_actor_id`)})`;

const insertRelations = (condition: string, hidden: string): string => `
      INSERT INTO relation (actor_id, kind, target_id, target_actor_id, generation, created_at, position, hidden)
      SELECT actor_id, kind, target_id, target_actor_id, generation, created_at, position, ${hidden}
      FROM json_to_recordset($1) AS row(actor_id text, kind text, target_id text, target_actor_id text,
        generation integer, created_at bigint, position numeric)
      WHERE ${condition}
      ON CONFLICT (actor_id, kind, target_id) DO NOTHING`;

const areNotErased = `
        NOT ${isErased('row.actor_id')} AND NOT (row.kind = 'follow' AND ${isErased('row.target_actor_id')})`;

// Only inserted rows are counted, so applying an event twice counts once.
const establish: Statement<Established> = {
  name: 'relation.establish',
  table: 'relation',
  key: relationKey,
  bulkSql: insertRelations('true', 'false'),
  sql: `
    WITH established AS (${insertRelations(areNotErased, `row.kind = 'follow' AND ${isHidden('row')}`)}
      RETURNING kind, actor_id, target_actor_id, hidden
    ) ${addToCounts('established', 1)}`,
};

const deleteRelations = `
      DELETE FROM relation USING json_to_recordset($1) AS row(actor_id text, kind text, target_id text,
        target_actor_id text, generation integer)
      WHERE relation.actor_id = row.actor_id AND relation.kind = row.kind AND relation.target_id = row.target_id
        AND relation.target_actor_id = row.target_actor_id AND relation.generation = row.generation`;

const end: Statement<Relation> = {
  name: 'relation.end',
  table: 'relation',
  key: relationKey,
  bulkSql: deleteRelations,
  sql: `
    WITH ended AS (${deleteRelations}
      RETURNING relation.kind, relation.actor_id, relation.target_actor_id, relation.hidden
    ) ${addToCounts('ended', -1)}`,
};

interface ActorRow {
  readonly actor_id: string;
}

/**
 * A suspension hides the actor's follows, in both directions, from the counts of other actors; a reinstatement shows
 * them. The statement reads the current account states, so its order relative to follows does not matter. It uses the
 * key of the account's row to follow the change of that row.
 */
const updateHidden: Statement<ActorRow> = {
  name: 'relation.hide',
  table: 'actor',
  key: ({ actor_id }) => actor_id,
  bulkSql: null,
  sql: `
    WITH changed AS (
      UPDATE relation SET hidden = NOT hidden
      WHERE ctid = ANY (ARRAY (
        SELECT follow.ctid FROM json_to_recordset($1) AS row(actor_id text) CROSS JOIN LATERAL (
          SELECT own.ctid, own.actor_id, own.target_actor_id, own.hidden FROM relation own
          WHERE own.actor_id = row.actor_id AND own.kind = 'follow'
          UNION
          SELECT other.ctid, other.actor_id, other.target_actor_id, other.hidden FROM relation other
          WHERE other.target_actor_id = row.actor_id AND other.kind = 'follow') follow
        WHERE follow.hidden <> ${isHidden('follow')}))
      RETURNING actor_id, target_actor_id, CASE WHEN hidden THEN 1 ELSE -1 END AS by
    ), side AS (
      SELECT actor_id, by AS following, 0 AS followers FROM changed
      UNION ALL
      SELECT target_actor_id, 0, by FROM changed
    ), total AS (
      SELECT actor_id, sum(following) AS following, sum(followers) AS followers FROM side
      GROUP BY actor_id ORDER BY actor_id
    )
    UPDATE relation_count SET hidden_following = relation_count.hidden_following + total.following,
      hidden_followers = relation_count.hidden_followers + total.followers
    FROM total WHERE relation_count.actor_id = total.actor_id`,
};

const notActive = `(SELECT actor_id FROM actor WHERE state <> 'active')`;

const hideAll = `
  UPDATE relation SET hidden = true
  WHERE kind = 'follow' AND (actor_id IN ${notActive} OR target_actor_id IN ${notActive})`;

const rowOf = ({ data }: RelationEvent): Relation => ({
  actor_id: data.actorId,
  kind: data.kind,
  target_id: data.targetId,
  target_actor_id: data.targetActorId,
  generation: data.generation,
});

export const relations: Projection = {
  name: 'relations',
  version: 3,
  tables: `
    CREATE TABLE relation (
      actor_id text COLLATE "C" NOT NULL,
      kind text COLLATE "C" NOT NULL CHECK (kind IN ('follow', 'like')),
      target_id text COLLATE "C" NOT NULL,
      target_actor_id text COLLATE "C" NOT NULL,
      generation integer NOT NULL,
      created_at bigint NOT NULL,
      position numeric NOT NULL,
      hidden boolean NOT NULL,
      PRIMARY KEY (actor_id, kind, target_id)
    );
    CREATE TABLE relation_count (
      actor_id text COLLATE "C" PRIMARY KEY,
      following bigint NOT NULL,
      followers bigint NOT NULL,
      hidden_following bigint NOT NULL,
      hidden_followers bigint NOT NULL
    ) WITH (fillfactor = 70)`,
  indexes: `
    CREATE INDEX relation_newest ON relation (actor_id, created_at, position);
    CREATE INDEX relation_following ON relation (actor_id, created_at, position) WHERE kind = 'follow';
    CREATE INDEX relation_followers ON relation (target_actor_id, created_at, position) WHERE kind = 'follow'`,
  backfillSql: `${hideAll}; ${addToCounts('relation', 1)}`,
  verifications: relationVerifications,
  handlers: {
    'relation.established': ({ event, position }, write) =>
      write(establish, { ...rowOf(event), created_at: event.data.at, position: String(position) }),
    'relation.ended': ({ event }, write) => write(end, rowOf(event)),
    'account.suspended': ({ event: { data } }, write) => write(updateHidden, { actor_id: data.actorId }),
    'account.reinstated': ({ event: { data } }, write) => write(updateHidden, { actor_id: data.actorId }),
  },
};
