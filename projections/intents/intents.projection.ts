import type { PostEvent } from '../../src/domain/post/events.js';
import type { Recorded } from '../../src/log/recorded.js';
import type { EventType, StoredEvent } from '../../src/log/registry.js';
import type { Projection, Statement, Write } from '../runner/projection.js';
import { intentFolds } from './intents.verification.js';

interface Kept {
  readonly app_id: string;
  readonly actor_id: string;
  readonly intent_id: string;
  readonly position: string;
  readonly post_id: string | null;
}

// One intentId may name actions on several resources: it is kept since the first, and tells the first post.
const keep: Statement<Kept> = {
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

function remember({ event, metadata, position }: Recorded, write: Write): void {
  const { appId, actorId, intentId } = metadata;
  if (appId === undefined || actorId === undefined || intentId === undefined) return;
  write(keep, {
    app_id: appId,
    actor_id: actorId,
    intent_id: intentId,
    position: String(position),
    post_id: isOfPost(event) ? event.data.postId : null,
  });
}

/** Whatever a caller's intent may bring about. */
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

/** Which intents were carried out. The log knows it first; this is for looking many up at once. */
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
  verifications: intentFolds,
  handlers: Object.fromEntries(types.map((type) => [type, remember])),
};
