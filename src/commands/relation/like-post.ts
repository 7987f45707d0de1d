import { Injectable } from '@nestjs/common';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { Decision } from '../../domain/refusal.js';
import type { RelationEvent } from '../../domain/relation/events.js';
import { evolveLike, likePost, unlikePost } from '../../domain/relation/like.js';
import type { Like, LikeAction } from '../../domain/relation/like.js';
import { EventLog } from '../../log/event-log.js';
import { payloadDigest } from '../../log/encryption.js';
import { streams } from '../../log/streams.js';
import { KeyVault } from '../../log/vault/key-vault.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleIdempotentCommand } from '../support/handle-idempotent-command.js';
import type { Intent } from '../support/intent.js';
import { postOfEvents } from '../post/post-outcome.js';
import { relationOf } from './relation-outcome.js';
import type { RelationOutcome } from './relation-outcome.js';
import { OtherActors } from '../support/other-actors.js';

export class LikePost extends Command<RelationOutcome> {
  constructor(
    readonly intent: Intent,
    readonly postId: string,
  ) {
    super();
  }
}

export class UnlikePost extends Command<RelationOutcome> {
  constructor(
    readonly intent: Intent,
    readonly postId: string,
  ) {
    super();
  }
}

@Injectable()
abstract class LikingHandler {
  constructor(
    protected readonly log: EventLog,
    protected readonly vault: KeyVault,
    protected readonly others: OtherActors,
    protected readonly clock: Clock,
    protected readonly ids: IdGenerator,
  ) {}

  protected async handle(
    { intent, postId }: LikePost | UnlikePost,
    verb: 'like' | 'unlike',
    decide: (like: Like, action: LikeAction) => Decision<RelationEvent> | Promise<Decision<RelationEvent>>,
  ): Promise<RelationOutcome> {
    const { actorId } = intent;
    const action = { actorId, postId, at: this.clock.now() };
    const { state, position } = await handleIdempotentCommand<Like, RelationEvent>(this.log, this.ids, {
      stream: streams.like(actorId, postId),
      initial: undefined,
      evolve: evolveLike,
      intent,
      payloadHash: payloadDigest(await this.vault.keyOf(actorId), { verb }),
      isLimited: verb === 'like',
      decide: (like) => decide(like, action),
    });
    if (!state) return { relation: null, position };
    const { targetActorId } = state;
    return {
      relation: relationOf({ kind: 'like', actorId, targetId: postId, targetActorId }, state),
      position,
    };
  }
}

@CommandHandler(LikePost)
export class LikePostHandler extends LikingHandler implements ICommandHandler<LikePost> {
  execute(command: LikePost): Promise<RelationOutcome> {
    return this.handle(command, 'like', async (like, action) =>
      likePost(like, action, await this.likeableAuthor(command)),
    );
  }

  private async likeableAuthor({ intent, postId }: LikePost): Promise<string | undefined> {
    const post = postOfEvents(await this.log.read(streams.post(postId)));
    if (post.status !== 'published') return undefined;
    const mayInteract = await this.others.mayInteract(intent.actorId, post.authorActorId);
    return mayInteract ? post.authorActorId : undefined;
  }
}

@CommandHandler(UnlikePost)
export class UnlikePostHandler extends LikingHandler implements ICommandHandler<UnlikePost> {
  execute(command: UnlikePost): Promise<RelationOutcome> {
    return this.handle(command, 'unlike', unlikePost);
  }
}
