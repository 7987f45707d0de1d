import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { deletePost } from '../../domain/post/post.js';
import { PostChangeCommands } from './post-changes.js';
import type { Intent } from '../support/intent.js';
import type { PostOutcome } from './post-outcome.js';

export class DeletePost extends Command<PostOutcome> {
  constructor(
    readonly intent: Intent,
    readonly postId: string,
    readonly revision: number,
  ) {
    super();
  }
}

@CommandHandler(DeletePost)
export class DeletePostHandler implements ICommandHandler<DeletePost> {
  constructor(private readonly changes: PostChangeCommands) {}

  async execute({ intent, postId, revision }: DeletePost): Promise<PostOutcome> {
    return this.changes.execute({
      intent,
      postId,
      revision,
      payload: { verb: 'delete' },
      decide: deletePost,
    });
  }
}
