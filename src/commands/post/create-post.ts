import { Command } from '@nestjs/cqrs';
import type { PostCreated } from '../../domain/post/events.js';
import { createPost, noPost } from '../../domain/post/post.js';
import type { Parent } from '../../domain/post/post.js';
import { Refusal } from '../../domain/refusal.js';
import type { Decision } from '../../domain/refusal.js';
import { LeaderChanged, LogUnavailable, WrongExpectedRevision } from '../../log/event-log.js';
import { payloadDigest } from '../../log/encryption.js';
import { readNewest } from '../../log/read-newest.js';
import { streams } from '../../log/streams.js';
import { aggregates, readState } from '../support/aggregates.js';
import { isChange } from '../support/handle-command.js';
import { handles } from '../support/handles.js';
import { createdId, metadataOf } from '../support/intent.js';
import type { Intent } from '../support/intent.js';
import { OtherActors } from '../support/other-actors.js';
import type { WriteSide } from '../support/write-side.js';
import { ShownPosts } from './shown-posts.js';
import { MentionedActors } from './mentioned-actors.js';
import type { PostOutcome } from './post-outcome.js';
import { findCreation, recreateLostPost, replayCreation } from './repeated-creation.js';

/**
 * One append and no idempotency table: the post id derives from the intent, so a repeated intent meets the stream of
 * its own post (repeated-creation.ts). Appends before reading, because nearly every intent is new.
 */
export class CreatePost extends Command<PostOutcome> {
  constructor(
    readonly intent: Intent,
    readonly text: string,
    readonly audience: string,
    readonly parentId: string | undefined,
  ) {
    super();
  }
}

const ATTEMPTS = 3;

interface Parts {
  readonly others: OtherActors;
  readonly mentioned: MentionedActors;
  readonly shown: ShownPosts;
}

export const createPostHandler = handles(
  CreatePost,
  { others: OtherActors, mentioned: MentionedActors, shown: ShownPosts },
  async (asked, write, parts) => {
    for (let attempt = 1; ; attempt++)
      try {
        return await create(asked, write, parts);
      } catch (cause) {
        if (!(cause instanceof LeaderChanged)) throw cause;
        if (attempt === ATTEMPTS)
          throw new LogUnavailable('The leader of the event log changed in every attempt: retry.', { cause });
      }
  },
);

/** @throws {LeaderChanged} it may be written, and another attempt finds it. */
async function create(asked: CreatePost, write: WriteSide, parts: Parts): Promise<PostOutcome> {
  const { intent, text, audience, parentId } = asked;
  const { log } = write;
  const id = createdId('post', intent);
  const stream = streams.post(id);
  const key = await write.vault.keyOf(intent.actorId);
  const payloadHash = payloadDigest(key, { text, audience, parentId });
  const creation = { stream, intent, payloadHash };

  const { decision, earlier, leadership } = await readNewest(
    log,
    async () => {
      const leadership = await log.leadership();
      const decision = await decide(id, asked, write, parts);
      const isRefused = decision instanceof Refusal;
      const earlier = isRefused ? await findCreation(log, creation) : undefined;
      return { decision, earlier, leadership };
    },
    (found) => isChange(found.decision) || found.earlier !== undefined,
  );
  if (earlier) return earlier;
  if (decision instanceof Refusal) throw decision;

  // A new event id each time: with the same id, a repeated intent would pass for a retry of this append. Another
  // payload or a later deletion would stay unnoticed (docs/adr/0004-event-ids-of-creations.md).
  const events = decision.map((event) => ({ id: write.ids.uuid(), event }));
  const append = { stream, events, metadata: metadataOf(intent, payloadHash), leadership };
  try {
    const { position } = await log.append({ ...append, expected: 'no_stream' });
    return { post: { id, revision: 1, status: 'published' }, position };
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
    const recreated = await recreateLostPost(log, id, append, error);
    return recreated ?? replayCreation(log, creation, error);
  }
}

async function decide(
  postId: string,
  { intent, text, audience, parentId }: CreatePost,
  write: WriteSide,
  parts: Parts,
): Promise<Decision<PostCreated>> {
  const { actorId: authorActorId, appId } = intent;
  const [mentions, parent] = await Promise.all([
    parts.mentioned.mentionedIn(text, authorActorId),
    parentId === undefined ? undefined : parentOf(parentId, authorActorId, write, parts),
  ]);
  if (mentions instanceof Refusal) return mentions;
  return createPost({ postId, authorActorId, appId, text, audience, mentions, at: write.now() }, parent);
}

/** Returns the parent post; one whose author the caller may not interact with counts as a post that never existed. */
async function parentOf(
  postId: string,
  actorId: string,
  { log }: WriteSide,
  { others, shown }: Parts,
): Promise<Parent> {
  const found = await shown.find(actorId, postId);
  if (found) return { ...found, status: 'published' };
  const post = await readState(log, aggregates.post(postId));
  if (post.status === 'absent' || !(await others.mayInteract(actorId, post.authorActorId))) return noPost;
  return post;
}
