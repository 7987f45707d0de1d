import { isErased } from '../erased.sql.js';
import type { Projection, Statement } from '../runner/projection.js';
import { blockVerifications } from './blocks.verification.js';

interface Block {
  readonly actor_id: string;
  readonly target_actor_id: string;
}

const key = (row: Block) => `${row.actor_id}.${row.target_actor_id}`;

const establish: Statement<Block & { readonly position: string }> = {
  name: 'block.establish',
  table: 'block',
  key,
  sql: `
    INSERT INTO block (actor_id, target_actor_id, position)
    SELECT actor_id, target_actor_id, position
    FROM json_to_recordset($1) AS row(actor_id text, target_actor_id text, position numeric)
    WHERE NOT ${isErased('row.actor_id')} AND NOT ${isErased('row.target_actor_id')}
    ON CONFLICT (actor_id, target_actor_id) DO NOTHING`,
};

const end: Statement<Block> = {
  name: 'block.end',
  table: 'block',
  key,
  sql: `
    DELETE FROM block USING json_to_recordset($1) AS row(actor_id text, target_actor_id text)
    WHERE block.actor_id = row.actor_id AND block.target_actor_id = row.target_actor_id`,
};

export const blocks: Projection = {
  name: 'blocks',
  version: 3,
  tables: `
    CREATE TABLE block (
      actor_id text COLLATE "C" NOT NULL,
      target_actor_id text COLLATE "C" NOT NULL,
      position numeric NOT NULL,
      PRIMARY KEY (actor_id, target_actor_id)
    )`,
  indexes: `
    CREATE INDEX block_newest ON block (actor_id, position);
    CREATE INDEX block_target ON block (target_actor_id, position)`,
  verifications: blockVerifications,
  handlers: {
    'block.established': ({ event: { data }, position }, write) =>
      write(establish, {
        actor_id: data.actorId,
        target_actor_id: data.targetActorId,
        position: String(position),
      }),
    'block.ended': ({ event: { data } }, write) =>
      write(end, { actor_id: data.actorId, target_actor_id: data.targetActorId }),
  },
};
