import type { RelationEvent } from '../../src/domain/relation/events.js';
import { isErased } from '../erased.sql.js';
import { isCountedAsHidden } from './hidden-up-to.sql.js';
import type { Projection, Statement } from '../runner/projection.js';
import { settleCounts } from './settle-counts.js';
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

/** Adds `by` for each follow in `changed` to the counts of both sides. `isHidden`: whether an account hides its follow. */
export const addToCounts = (changed: string, by: 1 | -1, isHidden: (account: string) => string): string => `
  INSERT INTO relation_count (actor_id, following, followers, hidden_following, hidden_followers)
  SELECT actor_id, sum(following), sum(followers), sum(following * hidden), sum(followers * hidden)
  FROM (
    SELECT actor_id, ${by} AS following, 0 AS followers, ${isHidden('target_actor_id')}::integer AS hidden
    FROM ${changed} WHERE kind = 'follow'
    UNION ALL
    SELECT target_actor_id, 0, ${by}, ${isHidden('actor_id')}::integer FROM ${changed} WHERE kind = 'follow'
  ) AS side
  GROUP BY actor_id ORDER BY actor_id
  ON CONFLICT (actor_id) DO UPDATE SET following = relation_count.following + excluded.following,
    followers = relation_count.followers + excluded.followers,
    hidden_following = relation_count.hidden_following + excluded.hidden_following,
    hidden_followers = relation_count.hidden_followers + excluded.hidden_followers`;

/** The same while accounts may be unsettled. */
export const addToCountsNow = (changed: string, by: 1 | -1): string =>
  addToCounts(changed, by, (account) => isCountedAsHidden(changed, `${changed}.${account}`));

const insertRelations = (condition: string): string => `
      INSERT INTO relation (actor_id, kind, target_id, target_actor_id, generation, created_at, position)
      SELECT actor_id, kind, target_id, target_actor_id, generation, created_at, position
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
  bulkSql: insertRelations('true'),
  sql: `
    WITH established AS (${insertRelations(areNotErased)} RETURNING *
    ) ${addToCountsNow('established', 1)}`,
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
    WITH ended AS (${deleteRelations} RETURNING relation.*
    ) ${addToCountsNow('ended', -1)}`,
};

const inState = (state: string) => `(SELECT actor_id FROM actor WHERE state = '${state}')`;

const backfillSql = `
  DELETE FROM relation
  WHERE actor_id IN ${inState('erased')} OR (kind = 'follow' AND target_actor_id IN ${inState('erased')});
  ${addToCounts('relation', 1, (account) => `(${account} IN ${inState('suspended')})`)};
  DELETE FROM unsettled`;

const rowOf = ({ data }: RelationEvent): Relation => ({
  actor_id: data.actorId,
  kind: data.kind,
  target_id: data.targetId,
  target_actor_id: data.targetActorId,
  generation: data.generation,
});

export const relations = (stepSize: number): Projection => ({
  name: 'relations',
  version: 4,
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
      followers bigint NOT NULL,
      hidden_following bigint NOT NULL,
      hidden_followers bigint NOT NULL
    ) WITH (fillfactor = 70)`,
  indexes: `
    CREATE INDEX relation_newest ON relation (actor_id, created_at, position);
    CREATE INDEX relation_following ON relation (actor_id, created_at, position) WHERE kind = 'follow';
    CREATE INDEX relation_followers ON relation (target_actor_id, created_at, position) WHERE kind = 'follow'`,
  backfillSql,
  verifications: relationVerifications,
  settling: {
    name: 'relation.settle',
    after: ['account.suspended', 'account.reinstated'],
    sql: settleCounts(stepSize),
  },
  handlers: {
    'relation.established': ({ event, position }, write) =>
      write(establish, { ...rowOf(event), created_at: event.data.at, position: String(position) }),
    'relation.ended': ({ event }, write) => write(end, rowOf(event)),
  },
});
