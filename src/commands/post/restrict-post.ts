import { Command } from '@nestjs/cqrs';
import type { ExpectedLifecycle } from '../../domain/lifecycle.js';
import type { PostEvent } from '../../domain/post/events.js';
import type { Post } from '../../domain/post/post.js';
import { restrictPost, unrestrictPost } from '../../domain/post/restriction.js';
import type { EventMetadata } from '../../log/recorded.js';
import { aggregates } from '../support/aggregates.js';
import type { CommandContext } from '../support/handle-command.js';
import { addsGround } from '../support/grounds.js';
import { handles } from '../support/handles.js';
import { Recusals, withRecusal } from '../support/recusals.js';
import { lifecycleChange } from '../support/write-side.js';
import type { LifecycleChange, WriteSide } from '../support/write-side.js';

export interface RestrictionOutcome extends LifecycleChange {
  readonly position: bigint;
}

abstract class RestrictionCommand extends Command<RestrictionOutcome> {
  constructor(
    readonly postId: string,
    readonly metadata: EventMetadata,
    readonly expected: ExpectedLifecycle = {},
  ) {
    super();
  }
}

/**
 * Hides a post from everyone. Idempotent.
 * @throws {Refusal} `not_found`, `post_deleted`, `lifecycle_revision_conflict`, `not_owner`: another operator must
 * restrict it; errors of the log.
 */
export class RestrictPost extends RestrictionCommand {}

export class UnrestrictPost extends RestrictionCommand {}

export const restrictionHandlers = [
  handles(RestrictPost, { recusals: Recusals }, (asked, write, { recusals }) =>
    change(
      asked,
      write,
      withRecusal(
        (post) => recusals.ofPost(asked.postId, post, asked.metadata),
        (post, past) =>
          restrictPost(post, {
            at: write.now(),
            addsGround: addsGround(past, asked.metadata),
            ...asked.expected,
          }),
      ),
    ),
  ),

  handles(UnrestrictPost, (asked, write) =>
    change(asked, write, (post) => unrestrictPost(post, { at: write.now(), ...asked.expected })),
  ),
];

async function change(
  { postId, metadata }: RestrictionCommand,
  write: WriteSide,
  decide: CommandContext<Post, PostEvent>['decide'],
): Promise<RestrictionOutcome> {
  const post = aggregates.post(postId);
  const decided = await write.change(post, metadata, decide);
  const { position = 0n } = decided.added.at(-1) ?? decided.past.at(-1) ?? {};
  return { ...lifecycleChange(decided, post), position };
}
