import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { editPost } from '../../domain/post/post.js';
import { Refusal } from '../../domain/refusal.js';
import { PostChangeCommands } from './post-changes.js';
import type { Intent } from '../support/intent.js';
import { MentionedActors } from './mentioned-actors.js';
import type { PostOutcome } from './post-outcome.js';

export class EditPost extends Command<PostOutcome> {
  constructor(
    readonly intent: Intent,
    readonly postId: string,
    readonly revision: number,
    readonly text: string,
  ) {
    super();
  }
}

@CommandHandler(EditPost)
export class EditPostHandler implements ICommandHandler<EditPost> {
  constructor(
    private readonly changes: PostChangeCommands,
    private readonly mentioned: MentionedActors,
  ) {}

  execute({ intent, postId, revision, text }: EditPost): Promise<PostOutcome> {
    const { appId } = intent;
    return this.changes.execute({
      intent,
      postId,
      revision,
      payload: { verb: 'edit', text },
      isLimited: true,
      decide: async (post, change, isVisible) => {
        const mentions = await this.mentioned.mentionedIn(text, intent.actorId);
        return mentions instanceof Refusal
          ? mentions
          : editPost(post, { ...change, appId, text, mentions }, isVisible);
      },
    });
  }
}
