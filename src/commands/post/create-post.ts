import { setTimeout as pause } from 'node:timers/promises';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { createPost, noPost } from '../../domain/post/post.js';
import type { Post } from '../../domain/post/post.js';
import { Refusal } from '../../domain/refusal.js';
import { EventLog, LogUnavailable, WrongExpectedRevision } from '../../log/event-log.js';
import type { Append } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import { payloadDigest } from '../../log/encryption.js';
import { streams } from '../../log/streams.js';
import { KeyVault } from '../../log/vault/key-vault.js';
import { Clock } from '../support/clock.js';
import { IdGenerator } from '../support/id-generator.js';
import { createdId, earlierOutcome, metadataOf } from '../support/intent.js';
import type { Intent } from '../support/intent.js';
import { MentionedActors } from './mentioned-actors.js';
import { outcomeOf, postIn } from './post-outcome.js';
import type { PostOutcome } from './post-outcome.js';
import { InteractionPolicy } from '../support/interaction-policy.js';

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

const DURABLE_WAIT = { tries: 40, pauseMs: 50 };

/**
 * One append and no idempotency table: the post id derives from the intent, so a repeated intent meets the stream of
 * its own post. Appends before reading, because nearly every intent is new.
 */
@CommandHandler(CreatePost)
export class CreatePostHandler implements ICommandHandler<CreatePost> {
  constructor(
    private readonly log: EventLog,
    private readonly vault: KeyVault,
    private readonly policy: InteractionPolicy,
    private readonly mentioned: MentionedActors,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ intent, text, audience, parentId }: CreatePost): Promise<PostOutcome> {
    const postId = createdId('post', intent);
    const stream = streams.post(postId);
    const key = await this.vault.keyOf(intent.actorId);
    const payloadHash = payloadDigest(key, { text, audience, parentId });
    const metadata = metadataOf(intent, payloadHash);

    const [mentions, parent] = await Promise.all([
      this.mentioned.mentionedIn(text, intent.actorId),
      parentId === undefined ? undefined : this.parent(parentId, intent.actorId),
    ]);
    if (mentions instanceof Refusal) return this.replayResult(stream, intent, payloadHash, mentions);
    const draft = {
      postId,
      authorActorId: intent.actorId,
      appId: intent.appId,
      text,
      audience,
      mentions,
      at: this.clock.now(),
    };
    const decision = createPost(draft, parent);
    if (decision instanceof Refusal) return this.replayResult(stream, intent, payloadHash, decision);

    // A new event id each time: with the same id, a repeated intent would pass for a retry of this append. Another
    // payload or a later deletion would stay unnoticed (docs/adr/0004).
    const append = { stream, events: decision.map((event) => ({ id: this.ids.uuid(), event })), metadata };
    const post = { id: postId, revision: 1 };
    try {
      const { position } = await this.log.append({ ...append, expected: 'no_stream' });
      return { post: { ...post, status: 'published' }, position };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      const recreated = await this.recreateLost(append, error);
      if (!recreated) return this.replayResult(stream, intent, payloadHash, error);
      const { isRestricted, position } = recreated;
      return { post: { ...post, status: isRestricted ? 'restricted' : 'published' }, position };
    }
  }

  /**
   * A recovered log may have lost a post and still hold its restrictions: the post is appended after them, and they
   * stay in force. Undefined: the post exists.
   */
  private async recreateLost(
    append: Omit<Append, 'expected'>,
    reason: Error,
  ): Promise<{ readonly isRestricted: boolean; readonly position: bigint } | undefined> {
    const recorded = await this.readUntilDurable(append.stream, reason);
    const [post, newest] = [postIn(recorded), recorded.at(-1)];
    if (post.status !== 'absent' || !newest) return undefined;
    await this.log.ensureWitnessed(recorded);
    try {
      const { position } = await this.log.append({ ...append, expected: newest.revision });
      return { isRestricted: post.isRestricted, position };
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return undefined;
      throw error;
    }
  }

  /** Returns the outcome of an earlier execution; without one, throws `reason`. */
  private async replayResult(
    stream: string,
    intent: Intent,
    payloadHash: string,
    reason: Error,
  ): Promise<PostOutcome> {
    const recorded = await this.readUntilDurable(stream, reason);
    const newest = recorded.at(-1);
    if (!newest) throw reason;
    const created = recorded.findIndex(({ event }) => event.type === 'post.created');
    const now = postIn(recorded);
    // The deletion exists and the creation does not: a recovered log lost the creation. The post id derives from this
    // intent alone.
    const isLost = created === -1 && now.status === 'deleted';
    if (!isLost && !earlierOutcome(recorded, intent, payloadHash)) throw reason;
    const post = outcomeOf(isLost ? now : postIn(recorded.slice(0, created + 1)), now);
    if (!post) throw reason;
    // Witnessed first: an answer of deletion must hold for good.
    await this.log.ensureWitnessed(recorded);
    return { post, position: newest.position };
  }

  /** An append may fail because of another one that reads do not show before it is durable. */
  private async readUntilDurable(stream: string, reason: Error): Promise<readonly Recorded[]> {
    for (let tries = 1; ; tries++) {
      const recorded = await this.log.read(stream);
      if (recorded.length > 0 || !(reason instanceof WrongExpectedRevision)) return recorded;
      if (tries === DURABLE_WAIT.tries)
        throw new LogUnavailable('The same intent is still being executed; retry in a moment.', {
          cause: reason,
        });
      await pause(DURABLE_WAIT.pauseMs);
    }
  }

  /** The parent post if the caller may interact with its author; otherwise like a post that never existed. */
  private async parent(postId: string, actorId: string): Promise<Post> {
    const post = postIn(await this.log.read(streams.post(postId)));
    if (post.status === 'absent' || !(await this.policy.mayInteract(actorId, post.authorActorId)))
      return noPost;
    return post;
  }
}
