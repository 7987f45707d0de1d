import { setTimeout as pause } from 'node:timers/promises';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { PostEvent } from '../domain/post/events.js';
import { createPost, evolvePost, noPost } from '../domain/post/post.js';
import type { Post } from '../domain/post/post.js';
import { Refusal } from '../domain/refusal.js';
import { EventLog, LogUnavailable, WrongExpectedRevision } from '../log/event-log.js';
import type { Recorded } from '../log/recorded.js';
import { payloadDigest } from '../log/sealing.js';
import { streams } from '../log/streams.js';
import { KeyVault } from '../log/vault/key-vault.js';
import { Clock, Ids } from './ambient.js';
import { createdId, earlierOutcome, metadataOf } from './intent.js';
import type { Intent } from './intent.js';

/** The state of a post after a mutation, and the position in the log from which readers see it. */
export interface PostOutcome {
  readonly post: { readonly id: string; readonly revision: number; readonly status: 'published' | 'deleted' };
  readonly position: bigint;
}

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

const SETTLING = { tries: 40, pauseMs: 50 };

/**
 * One append and no idempotency table: the post's identity derives from the intent, so a repeated intent meets the
 * stream of its own post. Appends first and looks there only if that is refused, because nearly every intent is new.
 */
@CommandHandler(CreatePost)
export class CreatePostHandler implements ICommandHandler<CreatePost> {
  constructor(
    private readonly log: EventLog,
    private readonly vault: KeyVault,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** @throws {Refusal} and whatever {@link EventLog.append} throws. */
  async execute({ intent, text, audience, parentId }: CreatePost): Promise<PostOutcome> {
    const postId = createdId('post', intent);
    const stream = streams.post(postId);
    const key = await this.vault.keyOf(intent.actorId);
    const payloadHash = payloadDigest(key, { text, audience, parentId });
    const metadata = metadataOf(intent, payloadHash);

    const draft = {
      postId,
      authorActorId: intent.actorId,
      appId: intent.appId,
      text,
      audience,
      mentions: [],
      at: this.clock.now(),
    };
    const parent = parentId === undefined ? undefined : await this.load(parentId);
    const decision = createPost(draft, parent);
    if (decision instanceof Refusal) return this.repeated(stream, intent, payloadHash, decision);

    // A new event id each time: with the same one a repeated intent would pass for a retry of this append, and
    // neither another payload nor a deletion since then would show (docs/adr/0004).
    const events = decision.map((event) => ({ id: this.ids.uuid(), event }));
    try {
      const { position } = await this.log.append({ stream, expected: 'no_stream', events, metadata });
      return { post: { id: postId, revision: 1, status: 'published' }, position };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      return this.repeated(stream, intent, payloadHash, error);
    }
  }

  /** The answer for an intent that may have been carried out before; otherwise it fails with `reason`. */
  private async repeated(
    stream: string,
    intent: Intent,
    payloadHash: string,
    reason: Error,
  ): Promise<PostOutcome> {
    const recorded = await this.settled(stream, reason);
    const newest = recorded.at(-1);
    if (!newest || !earlierOutcome(recorded, intent, payloadHash)) throw reason;
    const post = fold(recorded);
    if (post.status === 'absent') throw reason;
    const { id, revision, status } = post;
    return { post: { id, revision, status }, position: newest.position };
  }

  /** An append may be refused for the sake of another one that is not to be read yet: it is about to be durable. */
  private async settled(stream: string, reason: Error): Promise<readonly Recorded[]> {
    for (let tries = 1; ; tries++) {
      const recorded = await this.log.read(stream);
      if (recorded.length > 0 || !(reason instanceof WrongExpectedRevision)) return recorded;
      if (tries === SETTLING.tries)
        throw new LogUnavailable('The same intent is still being carried out.', { cause: reason });
      await pause(SETTLING.pauseMs);
    }
  }

  private async load(postId: string): Promise<Post> {
    return fold(await this.log.read(streams.post(postId)));
  }
}

function fold(recorded: readonly Recorded[]): Post {
  return recorded.map(({ event }) => event as PostEvent).reduce(evolvePost, noPost);
}
