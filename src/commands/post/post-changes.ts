import { Command } from '@nestjs/cqrs';
import type { PostEvent } from '../../domain/post/events.js';
import { deletePost, editPost } from '../../domain/post/post.js';
import type { Post, PostChange } from '../../domain/post/post.js';
import { Refusal } from '../../domain/refusal.js';
import type { Decision } from '../../domain/refusal.js';
import { aggregates } from '../support/aggregates.js';
import { handles } from '../support/handles.js';
import type { Intent } from '../support/intent.js';
import { OtherActors } from '../support/other-actors.js';
import type { WriteSide } from '../support/write-side.js';
import { MentionedActors } from './mentioned-actors.js';
import { postOutcomeOf } from './post-outcome.js';
import type { PostOutcome } from './post-outcome.js';

/** `revision`: the version of the post that the client changes. */
abstract class PostCommand extends Command<PostOutcome> {
  constructor(
    readonly intent: Intent,
    readonly postId: string,
    readonly revision: number,
  ) {
    super();
  }
}

export class EditPost extends PostCommand {
  constructor(
    intent: Intent,
    postId: string,
    revision: number,
    readonly text: string,
  ) {
    super(intent, postId, revision);
  }
}

export class DeletePost extends PostCommand {}

export const postChangeHandlers = [
  handles(
    EditPost,
    { others: OtherActors, mentioned: MentionedActors },
    (asked, write, { others, mentioned }) => {
      const { text, intent } = asked;
      return changePost(asked, write, others, {
        payload: { verb: 'edit', text },
        isLimited: true,
        decide: async (post, change, isVisible) => {
          const mentions = await mentioned.mentionedIn(text, intent.actorId);
          return mentions instanceof Refusal
            ? mentions
            : editPost(post, { ...change, appId: intent.appId, text, mentions }, isVisible);
        },
      });
    },
  ),

  handles(DeletePost, { others: OtherActors }, (asked, write, { others }) =>
    changePost(asked, write, others, { payload: { verb: 'delete' }, decide: deletePost }),
  ),
];

/**
 * `payload`: all input besides the revision, with the verb. `isLimited`: as in {@link handleIdempotentCommand}.
 * `isVisible`: the caller may see posts of the author.
 */
interface Change {
  readonly payload: object;
  readonly isLimited?: boolean;
  readonly decide: (
    post: Post,
    change: PostChange,
    isVisible: boolean,
  ) => Decision<PostEvent> | Promise<Decision<PostEvent>>;
}

async function changePost(
  { intent, postId, revision }: PostCommand,
  write: WriteSide,
  others: OtherActors,
  { payload, isLimited = false, decide }: Change,
): Promise<PostOutcome> {
  const { actorId } = intent;
  const change = { actorId, revision, at: write.now() };
  const isVisible = async (post: Post) =>
    post.status !== 'absent' && (await others.mayInteract(actorId, post.authorActorId));
  const { state, newest, position } = await write.intent(
    { ...payload, revision },
    {
      ...aggregates.post(postId),
      intent,
      // A creation addresses no post, so its intentId may name a later change of the same post.
      filter: ({ type }) => type !== 'post.created',
      isLimited,
      decide: async (post) => decide(post, change, await isVisible(post)),
    },
  );
  const post = postOutcomeOf(state, newest);
  if (!post) throw new Refusal('post_unavailable', 'This post does not exist or is not available to you.');
  return { post, position };
}
