import type { PostEvent } from '../../src/domain/post/events.js';
import type { Recorded } from '../../src/log/recorded.js';
import type { EventType, StoredEvent } from '../../src/log/registry.js';
import type { Projection, Statement, Write } from '../runner/projection.js';
import { intentVerifications } from './intents.verification.js';

interface IntentRow {
  readonly app_id: string;
  readonly actor_id: string;
  readonly intent_id: string;
  readonly position: string;
  readonly post_id: string | null;
}

// One intentId may name commands on several resources: the row has the first event's position and the first post.
const insertIntent: Statement<IntentRow> = {
  name: 'intent.keep',
  table: 'intent',
  key: (row) => `${row.app_id} ${row.actor_id} ${row.intent_id}`,
  sql: `
    INSERT INTO intent (app_id, actor_id, intent_id, position, post_id)
    SELECT app_id, actor_id, intent_id, position, post_id
    FROM json_to_recordset($1) AS row(app_id text, actor_id text, intent_id text, position numeric, post_id text)
    ON CONFLICT (app_id, actor_id, intent_id) DO UPDATE SET post_id = excluded.post_id
      WHERE intent.post_id IS NULL AND excluded.post_id IS NOT NULL`,
};

const isOfPost = (event: StoredEvent): event is PostEvent => event.type.startsWith('post.');

function recordIntent({ event, metadata, position }: Recorded, write: Write): void {
  const { appId, actorId, intentId } = metadata;
  if (appId === undefined || actorId === undefined || intentId === undefined) return;
  write(insertIntent, {
    app_id: appId,
    actor_id: actorId,
    intent_id: intentId,
    position: String(position),
    post_id: isOfPost(event) ? event.data.postId : null,
  });
}

const types = [
  'post.created',
  'post.edited',
  'post.deleted',
  'relation.established',
  'relation.ended',
  'block.established',
  'block.ended',
  'profile.changed',
  'inbox.read',
  'report.created',
] as const satisfies readonly EventType[];

/** The intents that left an event, for lookups of many at a time. Commands ask the log instead. */
export const intents: Projection = {
  name: 'intents',
  version: 1,
  tables: `
    CREATE TABLE intent (
      app_id text COLLATE "C" NOT NULL,
      actor_id text COLLATE "C" NOT NULL,
      intent_id text COLLATE "C" NOT NULL,
      position numeric NOT NULL,
      post_id text COLLATE "C",
      PRIMARY KEY (app_id, actor_id, intent_id)
    )`,
  verifications: intentVerifications,
  handlers: Object.fromEntries(types.map((type) => [type, recordIntent])),
};
