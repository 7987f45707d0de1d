import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { PostCreated } from '../../domain/post/events.js';
import { createPost, noPost } from '../../domain/post/post.js';
import type { Post } from '../../domain/post/post.js';
import { Refusal } from '../../domain/refusal.js';
import type { Decision } from '../../domain/refusal.js';
import { EventLog, LeaderChanged, LogUnavailable, WrongExpectedRevision } from '../../log/event-log.js';
import { payloadDigest } from '../../log/encryption.js';
import { readNewest } from '../../log/read-newest.js';
import { streams } from '../../log/streams.js';
import { KeyVault } from '../../log/vault/key-vault.js';
import { Clock } from '../../base/support/clock.js';
import { isChange } from '../support/handle-command.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { createdId, metadataOf } from '../support/intent.js';
import type { Intent } from '../support/intent.js';
import { MentionedActors } from './mentioned-actors.js';
import { postOfEvents } from './post-outcome.js';
import type { PostOutcome } from './post-outcome.js';
import { findCreation, recreateLostPost, replayCreation } from './repeated-creation.js';
import { OtherActors } from '../support/other-actors.js';

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

/**
 * One append and no idempotency table: the post id derives from the intent, so a repeated intent meets the stream of
 * its own post (repeated-creation.ts). Appends before reading, because nearly every intent is new.
 */
@CommandHandler(CreatePost)
export class CreatePostHandler implements ICommandHandler<CreatePost> {
  constructor(
    private readonly log: EventLog,
    private readonly vault: KeyVault,
    private readonly others: OtherActors,
    private readonly mentioned: MentionedActors,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute(command: CreatePost): Promise<PostOutcome> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.attempt(command);
      } catch (cause) {
        if (!(cause instanceof LeaderChanged)) throw cause;
        if (attempt === ATTEMPTS)
          throw new LogUnavailable('The leader of the event log changed in every attempt: retry.', { cause });
      }
  }

  /** @throws {LeaderChanged} it may be written, and another attempt finds it. */
  private async attempt(command: CreatePost): Promise<PostOutcome> {
    const { intent, text, audience, parentId } = command;
    const id = createdId('post', intent);
    const stream = streams.post(id);
    const key = await this.vault.keyOf(intent.actorId);
    const payloadHash = payloadDigest(key, { text, audience, parentId });
    const creation = { stream, intent, payloadHash };

    const { decision, earlier, leadership } = await readNewest(
      this.log,
      async () => {
        const leadership = await this.log.leadership();
        const decision = await this.decide(id, command);
        const isRefused = decision instanceof Refusal;
        const earlier = isRefused ? await findCreation(this.log, creation) : undefined;
        return { decision, earlier, leadership };
      },
      (found) => isChange(found.decision) || found.earlier !== undefined,
    );
    if (earlier) return earlier;
    if (decision instanceof Refusal) throw decision;

    // A new event id each time: with the same id, a repeated intent would pass for a retry of this append. Another
    // payload or a later deletion would stay unnoticed (docs/adr/0004-event-ids-of-creations.md).
    const events = decision.map((event) => ({ id: this.ids.uuid(), event }));
    const append = { stream, events, metadata: metadataOf(intent, payloadHash), leadership };
    try {
      const { position } = await this.log.append({ ...append, expected: 'no_stream' });
      return { post: { id, revision: 1, status: 'published' }, position };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      const recreated = await recreateLostPost(this.log, id, append, error);
      return recreated ?? replayCreation(this.log, creation, error);
    }
  }

  private async decide(
    postId: string,
    { intent, text, audience, parentId }: CreatePost,
  ): Promise<Decision<PostCreated>> {
    const [mentions, parent] = await Promise.all([
      this.mentioned.mentionedIn(text, intent.actorId),
      parentId === undefined ? undefined : this.parent(parentId, intent.actorId),
    ]);
    if (mentions instanceof Refusal) return mentions;
    const { actorId: authorActorId, appId } = intent;
    return createPost(
      { postId, authorActorId, appId, text, audience, mentions, at: this.clock.now() },
      parent,
    );
  }

  /** Returns the parent post; one whose author the caller may not interact with counts as a post that never existed. */
  private async parent(postId: string, actorId: string): Promise<Post> {
    const post = postOfEvents(await this.log.read(streams.post(postId)));
    if (post.status === 'absent' || !(await this.others.mayInteract(actorId, post.authorActorId)))
      return noPost;
    return post;
  }
}
