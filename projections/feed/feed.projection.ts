import type { RelationEvent } from '../../src/domain/relation/events.js';
import type { Recorded } from '../../src/log/recorded.js';
import type { EventOf, EventType } from '../../src/log/registry.js';
import type { Projection, Write } from '../runner/projection.js';
import { addChange, DELETE_EXPIRED_CHANGES, FOR_EVERYBODY } from './change.js';
import type { FeedChange } from './change.js';
import { feedVerifications } from './feed.verification.js';

type ChangeFields = Pick<FeedChange, 'actor_id'> & Partial<FeedChange>;

const MAX_CHANGES_PER_EVENT = 4n;

/**
 * Adds the changes of an event, in this order.
 * @throws {Error} The event is not of `type`, which becomes the kind of the changes.
 */
function addChanges<Type extends EventType>(
  type: Type,
  { event, position, revision }: Recorded<EventOf<Type>>,
  write: Write,
  ...changes: readonly ChangeFields[]
): void {
  if (event.type !== type) throw new Error(`the feed handler of ${type} got another event: ${event.type}`);
  changes.forEach((change, index) =>
    write(addChange, {
      position: String(position),
      seq: String(revision * MAX_CHANGES_PER_EVENT + BigInt(index)),
      owner_actor_id: change.actor_id,
      audience: 'author',
      kind: type,
      at: event.data.at,
      ...change,
    }),
  );
}

const resetOf = (actorId: string): ChangeFields => ({ actor_id: actorId, audience: 'owner', kind: 'reset' });

const resetOfEverybody = (actorId: string): ChangeFields => ({
  actor_id: actorId,
  owner_actor_id: FOR_EVERYBODY,
  audience: 'everybody',
  kind: 'reset',
});

const relationOf = ({ data }: RelationEvent): ChangeFields => ({
  actor_id: data.actorId,
  audience: 'owner',
  relation_kind: data.kind,
  target_id: data.targetId,
  target_actor_id: data.targetActorId,
  generation: data.generation,
});

export const feed: Projection = {
  name: 'feed',
  version: 3,
  tables: `
    CREATE TABLE change (
      position numeric NOT NULL,
      seq numeric NOT NULL,
      owner_actor_id text COLLATE "C" NOT NULL,
      audience text COLLATE "C" NOT NULL CHECK (audience IN ('author', 'owner', 'everybody')),
      kind text COLLATE "C" NOT NULL,
      at bigint NOT NULL,
      actor_id text COLLATE "C" NOT NULL,
      post_id text COLLATE "C",
      relation_kind text COLLATE "C",
      target_id text COLLATE "C",
      target_actor_id text COLLATE "C",
      generation integer
    );
    CREATE TABLE feed_hour (hour bigint PRIMARY KEY, position numeric NOT NULL);
    CREATE TABLE feed_window (begins numeric NOT NULL);
    INSERT INTO feed_window (begins) VALUES (0)`,
  backfillSql: DELETE_EXPIRED_CHANGES,
  indexes: `
    ALTER TABLE change ADD PRIMARY KEY (position, seq);
    CREATE INDEX change_of_author ON change (owner_actor_id, position) WHERE audience = 'author';
    CREATE INDEX change_of_owner ON change (owner_actor_id, position) WHERE audience <> 'author';
    CREATE INDEX change_of_post ON change (position) WHERE kind IN ('post.created', 'post.edited');
    CREATE INDEX change_reset ON change (owner_actor_id, position) WHERE kind = 'reset';
    CREATE INDEX change_deletion ON change (position) WHERE kind = 'post.deleted';
    CREATE INDEX post_in_thread ON post (root_id, position) WHERE status = 'published' AND root_id IS NOT NULL`,
  verifications: feedVerifications,
  handlers: {
    'post.created': (recorded, write) => {
      const { authorActorId, postId } = recorded.event.data;
      addChanges('post.created', recorded, write, { actor_id: authorActorId, post_id: postId });
    },
    'post.edited': (recorded, write) => {
      const { authorActorId, postId } = recorded.event.data;
      addChanges('post.edited', recorded, write, { actor_id: authorActorId, post_id: postId });
    },
    'post.deleted': (recorded, write) => {
      const { authorActorId, postId } = recorded.event.data;
      addChanges('post.deleted', recorded, write, { actor_id: authorActorId, post_id: postId });
    },
    // Callers must not learn whether the author or an operator removed the post.
    'post.restricted': (recorded, write) => {
      const { authorActorId, postId } = recorded.event.data;
      const change = { actor_id: authorActorId, post_id: postId, kind: 'post.deleted' };
      addChanges('post.restricted', recorded, write, change);
    },
    // Replies regain their parent, and likes and inbox entries of the post become visible again.
    'post.unrestricted': (recorded, write) =>
      addChanges('post.unrestricted', recorded, write, resetOfEverybody(recorded.event.data.authorActorId)),
    'profile.changed': (recorded, write) => {
      const { actorId, revision } = recorded.event.data;
      // The first revision repeats the registration, so it is no change.
      if (revision > 1) addChanges('profile.changed', recorded, write, { actor_id: actorId });
    },
    'relation.established': (recorded, write) =>
      addChanges('relation.established', recorded, write, relationOf(recorded.event)),
    'relation.ended': (recorded, write) => {
      const { actorId, targetActorId } = recorded.event.data;
      // The inbox entry of this relation disappears for the target.
      const others = targetActorId === actorId ? [] : [resetOf(targetActorId)];
      addChanges('relation.ended', recorded, write, relationOf(recorded.event), ...others);
    },
    'block.established': (recorded, write) => {
      const { actorId, targetActorId } = recorded.event.data;
      addChanges('block.established', recorded, write, resetOf(actorId), resetOf(targetActorId));
    },
    'block.ended': (recorded, write) => {
      const { actorId, targetActorId } = recorded.event.data;
      addChanges('block.ended', recorded, write, resetOf(actorId), resetOf(targetActorId));
    },
    'inbox.read': (recorded, write) =>
      addChanges('inbox.read', recorded, write, { actor_id: recorded.event.data.actorId, audience: 'owner' }),
    'account.suspended': (recorded, write) =>
      addChanges('account.suspended', recorded, write, resetOfEverybody(recorded.event.data.actorId)),
    'account.reinstated': (recorded, write) =>
      addChanges('account.reinstated', recorded, write, resetOfEverybody(recorded.event.data.actorId)),
    'account.erased': (recorded, write) =>
      addChanges('account.erased', recorded, write, resetOfEverybody(recorded.event.data.actorId)),
  },
};
