import { isErased } from '../erased.sql.js';
import type { Projection, Statement, Write } from '../runner/projection.js';
import { entryId } from './inbox-entry.js';
import type { EntrySource } from './inbox-entry.js';
import { keyOfRecipient, markRead, markReadUpTo, settleMarks } from './inbox-marks.js';
import { inboxVerifications } from './inbox.verification.js';

interface EntryRow {
  readonly actor_id: string;
  readonly id: string;
  readonly kind: string;
  readonly source_actor_id: string;
  readonly source_id: string;
  readonly created_at: number;
  readonly position: string;
}

const rowColumns = `row(actor_id text, id text, kind text, source_actor_id text, source_id text, created_at bigint,
        position numeric)`;

// A repeated follow or like renews its entry. A post adds one entry at most, as a reply or a mention.
const addEntry: Statement<EntryRow> = {
  name: 'inbox.tell',
  table: 'inbox',
  key: keyOfRecipient,
  manyOfOneKey: true,
  sql: `
    WITH row AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1) AS ${rowColumns}
      WHERE NOT ${isErased('row.actor_id')} AND NOT ${isErased('row.source_actor_id')}
    ), of_post AS (
      INSERT INTO inbox (actor_id, id, kind, source_actor_id, source_id, created_at, position)
      SELECT DISTINCT ON (actor_id, source_id)
        actor_id, id, kind, source_actor_id, source_id, created_at, position
      FROM row WHERE kind IN ('reply', 'mention')
      ORDER BY actor_id, source_id, position
      ON CONFLICT DO NOTHING
    )
    INSERT INTO inbox (actor_id, id, kind, source_actor_id, source_id, created_at, position)
    SELECT DISTINCT ON (actor_id, id) actor_id, id, kind, source_actor_id, source_id, created_at, position
    FROM row WHERE kind IN ('follow', 'like')
    ORDER BY actor_id, id, position DESC
    ON CONFLICT (actor_id, id) DO UPDATE SET created_at = excluded.created_at, position = excluded.position,
      read_at = NULL
    WHERE inbox.position < excluded.position`,
};

interface EventTime {
  readonly at: number;
  readonly position: bigint;
}

function addEntryOf(source: EntrySource, { at, position }: EventTime, write: Write): void {
  const { kind, actorId, sourceActorId, sourceId } = source;
  if (actorId === sourceActorId) return;
  write(addEntry, {
    actor_id: actorId,
    id: entryId(source),
    kind,
    source_actor_id: sourceActorId,
    source_id: sourceId,
    created_at: at,
    position: String(position),
  });
}

interface MentioningPost {
  readonly postId: string;
  readonly authorActorId: string;
  readonly mentions: readonly string[];
}

function addMentions(post: MentioningPost, eventTime: EventTime, write: Write): void {
  for (const actorId of post.mentions)
    addEntryOf(
      { kind: 'mention', actorId, sourceActorId: post.authorActorId, sourceId: post.postId },
      eventTime,
      write,
    );
}

/** An entry stays when its source disappears: each read decides which entries are visible (see inbox.sql.ts). */
export const inbox = (stepSize: number): Projection => {
  const markUpTo = markReadUpTo(stepSize);
  return {
    name: 'inbox',
    version: 3,
    tables: `
    CREATE TABLE inbox (
      actor_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      kind text COLLATE "C" NOT NULL CHECK (kind IN ('follow', 'like', 'reply', 'mention')),
      source_actor_id text COLLATE "C" NOT NULL,
      source_id text COLLATE "C" NOT NULL,
      created_at bigint NOT NULL,
      position numeric NOT NULL,
      read_at bigint,
      PRIMARY KEY (actor_id, id)
    );
    CREATE TABLE inbox_mark (
      actor_id text COLLATE "C" NOT NULL,
      position numeric NOT NULL,
      up_to bigint NOT NULL,
      at bigint NOT NULL,
      PRIMARY KEY (actor_id, position)
    );
    CREATE UNIQUE INDEX inbox_of_post ON inbox (actor_id, source_id) WHERE kind IN ('reply', 'mention');
    CREATE INDEX inbox_unread ON inbox (actor_id, position) WHERE read_at IS NULL`,
    indexes: `
    CREATE INDEX inbox_newest ON inbox (actor_id, position);
    CREATE INDEX inbox_of_source ON inbox (source_actor_id, position)`,
    settling: { name: 'inbox.settle', after: ['inbox.read'], sql: settleMarks(stepSize) },
    verifications: inboxVerifications,
    handlers: {
      'relation.established': ({ event: { data }, position }, write) => {
        const { kind, actorId: sourceActorId, targetActorId: actorId, targetId } = data;
        const sourceId = kind === 'like' ? targetId : sourceActorId;
        addEntryOf({ kind, actorId, sourceActorId, sourceId }, { at: data.at, position }, write);
      },
      'post.created': ({ event: { data }, position, erased }, write) => {
        if (erased) return;
        const { postId: sourceId, authorActorId: sourceActorId, parentAuthorActorId: actorId, at } = data;
        if (actorId !== undefined)
          addEntryOf({ kind: 'reply', actorId, sourceActorId, sourceId }, { at, position }, write);
        addMentions(
          { ...data, mentions: data.mentions.filter((each) => each !== actorId) },
          { at, position },
          write,
        );
      },
      'post.edited': ({ event: { data }, position, erased }, write) => {
        if (!erased) addMentions(data, { at: data.at, position }, write);
      },
      'inbox.read': ({ event: { data }, position }, write) => {
        const { actorId, ids, upTo, at } = data;
        const row = { actor_id: actorId, at, position: String(position) };
        if (ids) write(markRead, { ...row, ids });
        if (upTo !== undefined) write(markUpTo, { ...row, up_to: upTo });
      },
    },
  };
};
