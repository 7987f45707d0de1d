import { Injectable } from '@nestjs/common';
import type { PostEvent } from '../../domain/post/events.js';
import { evolvePost, noPost } from '../../domain/post/post.js';
import type { Post, PostChange } from '../../domain/post/post.js';
import { Refusal } from '../../domain/refusal.js';
import type { Decision } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import { payloadDigest } from '../../log/encryption.js';
import { streams } from '../../log/streams.js';
import { KeyVault } from '../../log/vault/key-vault.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleIdempotentCommand } from '../support/handle-idempotent-command.js';
import type { Intent } from '../support/intent.js';
import { postOutcomeOf } from './post-outcome.js';
import type { PostOutcome } from './post-outcome.js';
import { OtherActors } from '../support/other-actors.js';

/**
 * `revision`: the version of the post that the client changes. `payload`: all other input, with the verb. `isLimited`:
 * as in {@link handleIdempotentCommand}. `isVisible`: the caller may see posts of the author.
 */
export interface PostChangeCommand {
  readonly intent: Intent;
  readonly postId: string;
  readonly revision: number;
  readonly payload: object;
  readonly isLimited?: boolean;
  readonly decide: (
    post: Post,
    change: PostChange,
    isVisible: boolean,
  ) => Decision<PostEvent> | Promise<Decision<PostEvent>>;
}

@Injectable()
export class PostChangeCommands {
  constructor(
    private readonly log: EventLog,
    private readonly vault: KeyVault,
    private readonly others: OtherActors,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({
    intent,
    postId,
    revision,
    payload,
    isLimited = false,
    decide,
  }: PostChangeCommand): Promise<PostOutcome> {
    const { actorId } = intent;
    const key = await this.vault.keyOf(actorId);
    const change = { actorId, revision, at: this.clock.now() };
    const { state, newest, position } = await handleIdempotentCommand<Post, PostEvent>(this.log, this.ids, {
      stream: streams.post(postId),
      initial: noPost,
      evolve: evolvePost,
      intent,
      payloadHash: payloadDigest(key, { ...payload, revision }),
      // A creation addresses no post, so its intentId may name a later change of the same post.
      filter: ({ type }) => type !== 'post.created',
      isLimited,
      decide: async (post) => decide(post, change, await this.isVisibleTo(actorId, post)),
    });
    const post = postOutcomeOf(state, newest);
    if (!post) throw new Refusal('post_unavailable', 'This post does not exist or is not available to you.');
    return { post, position };
  }

  private async isVisibleTo(actorId: string, post: Post): Promise<boolean> {
    return post.status !== 'absent' && (await this.others.mayInteract(actorId, post.authorActorId));
  }
}
