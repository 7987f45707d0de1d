import type { RelationEvent } from '../../src/domain/relation/events.js';
import { isErased } from '../erasure/erased.sql.js';
import type { Projection, Statement } from '../runner/projection.js';
import { relationFolds } from './relations.fold.js';

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

/** Key of a relation's row in the table `relation`. */
export const relationKey = (row: Pick<Relation, 'actor_id' | 'kind' | 'target_id'>) =>
  `${row.actor_id}.${row.kind}.${row.target_id}`;

/** Adds what `changed` (rows of kind, actor and target) says to the counts of both sides; a like counts for nobody. */
const counted = (changed: string, by: 1 | -1): string => `
  INSERT INTO relation_count (actor_id, following, followers)
  SELECT actor_id, sum(following), sum(followers) FROM (
    SELECT actor_id, ${by} AS following, 0 AS followers FROM ${changed} WHERE kind = 'follow'
    UNION ALL
    SELECT target_actor_id, 0, ${by} FROM ${changed} WHERE kind = 'follow'
  ) AS side
  GROUP BY actor_id ORDER BY actor_id
  ON CONFLICT (actor_id) DO UPDATE SET following = relation_count.following + excluded.following,
    followers = relation_count.followers + excluded.followers`;

const insertRelations = (which: string): string => `
      INSERT INTO relation (actor_id, kind, target_id, target_actor_id, generation, created_at, position)
      SELECT actor_id, kind, target_id, target_actor_id, generation, created_at, position
      FROM json_to_recordset($1) AS row(actor_id text, kind text, target_id text, target_actor_id text,
        generation integer, created_at bigint, position numeric)
      WHERE ${which}
      ON CONFLICT (actor_id, kind, target_id) DO NOTHING`;

/** Whoever is erased by now follows nobody. */
const areThere = `
        NOT ${isErased('row.actor_id')} AND NOT (row.kind = 'follow' AND ${isErased('row.target_actor_id')})`;

// Only one that was not there is counted, so a second time counts nothing.
const establish: Statement<Established> = {
  name: 'relation.establish',
  table: 'relation',
  key: relationKey,
  inBuild: insertRelations('true'),
  sql: `
    WITH established AS (${insertRelations(areThere)}
      RETURNING kind, actor_id, target_actor_id
    ) ${counted('established', 1)}`,
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
  inBuild: deleteRelations,
  sql: `
    WITH ended AS (${deleteRelations}
      RETURNING relation.kind, relation.actor_id, relation.target_actor_id
    ) ${counted('ended', -1)}`,
};

const rowOf = ({ data }: RelationEvent): Relation => ({
  actor_id: data.actorId,
  kind: data.kind,
  target_id: data.targetId,
  target_actor_id: data.targetActorId,
  generation: data.generation,
});

/** Every follow and like that stands, and how many follow and are followed. */
export const relations: Projection = {
  name: 'relations',
  version: 2,
  tables: `
    CREATE TABLE relation (
      actor_id text COLLATE "C" NOT NULL,
      kind text COLLATE "C" NOT NULL CHECK (kind IN ('follow', 'like')),
      target_id text COLLATE "C" NOT NULL,
      target_actor_id text COLLATE "C" NOT NULL,
      generation integer NOT NULL,
      created_at bigint NOT NULL,
      position numeric NOT NULL,
      PRIMARY KEY (actor_id, kind, target_id)
    );
    CREATE TABLE relation_count (
      actor_id text COLLATE "C" PRIMARY KEY,
      following bigint NOT NULL,
      followers bigint NOT NULL
    ) WITH (fillfactor = 70)`,
  indexes: `
    CREATE INDEX relation_newest ON relation (actor_id, created_at, position);
    CREATE INDEX relation_following ON relation (actor_id, created_at, position) WHERE kind = 'follow';
    CREATE INDEX relation_followers ON relation (target_actor_id, created_at, position) WHERE kind = 'follow'`,
  derived: counted('relation', 1),
  folds: relationFolds,
  handlers: {
    'relation.established': ({ event, position }, write) =>
      write(establish, { ...rowOf(event), created_at: event.data.at, position: String(position) }),
    'relation.ended': ({ event }, write) => write(end, rowOf(event)),
  },
};
