import { Injectable } from '@nestjs/common';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { ExpectedLifecycle } from '../../domain/lifecycle.js';
import type { PostEvent } from '../../domain/post/events.js';
import { evolvePost, noPost } from '../../domain/post/post.js';
import type { Post } from '../../domain/post/post.js';
import { restrictPost, unrestrictPost } from '../../domain/post/restriction.js';
import type { RestrictionChange } from '../../domain/post/restriction.js';
import type { Decision, Refusal } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Recusals, withRecusal } from '../support/recusals.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { lifecycleChange } from '../support/write-side.js';
import type { LifecycleChange } from '../support/write-side.js';
import { handleCommand } from '../support/handle-command.js';
import { isOfItsOwn } from '../support/restriction-source.js';

export interface RestrictionOutcome extends LifecycleChange {
  readonly position: bigint;
}

/**
 * Hides a post from everyone. Idempotent.
 * @throws {Refusal} `not_found`, `post_deleted`, `lifecycle_revision_conflict`, `not_owner`: another operator must
 * restrict it; errors of the log.
 */
export class RestrictPost extends Command<RestrictionOutcome> {
  constructor(
    readonly postId: string,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle = {},
  ) {
    super();
  }
}

export class UnrestrictPost extends Command<RestrictionOutcome> {
  constructor(
    readonly postId: string,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle = {},
  ) {
    super();
  }
}

@Injectable()
abstract class RestrictionHandler {
  protected abstract readonly decide: (post: Post, change: RestrictionChange) => Decision<PostEvent>;

  constructor(
    protected readonly log: EventLog,
    protected readonly clock: Clock,
    protected readonly ids: IdGenerator,
    protected readonly recusals: Recusals,
  ) {}

  /** The reason against a change of the post by this operator; undefined: they may change it. */
  protected recusal(_asked: RestrictPost | UnrestrictPost, _post: Post): Promise<Refusal | undefined> {
    return Promise.resolve(undefined);
  }

  async execute(asked: RestrictPost | UnrestrictPost): Promise<RestrictionOutcome> {
    const { postId, metadata, expected } = asked;
    const decider = { initial: noPost, evolve: evolvePost };
    const decided = await handleCommand<Post, PostEvent>(this.log, this.ids, {
      ...decider,
      stream: streams.post(postId),
      decide: withRecusal<Post, PostEvent>(
        (post) => this.recusal(asked, post),
        (post, past) =>
          this.decide(post, {
            at: this.clock.now(),
            isOfItsOwn: isOfItsOwn(past, 'post.restricted', metadata),
            ...expected,
          }),
      ),
      metadata,
    });
    const { position = 0n } = decided.added.at(-1) ?? decided.past.at(-1) ?? {};
    return { ...lifecycleChange<Post, PostEvent>(decided, decider), position };
  }
}

@CommandHandler(RestrictPost)
export class RestrictPostHandler extends RestrictionHandler implements ICommandHandler<RestrictPost> {
  protected readonly decide = restrictPost;

  protected override recusal({ postId, metadata }: RestrictPost, post: Post): Promise<Refusal | undefined> {
    return this.recusals.ofPost(postId, post, metadata);
  }
}

@CommandHandler(UnrestrictPost)
export class UnrestrictPostHandler extends RestrictionHandler implements ICommandHandler<UnrestrictPost> {
  protected readonly decide = unrestrictPost;
}
