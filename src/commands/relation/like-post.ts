import { Command } from '@nestjs/cqrs';
import type { Decision } from '../../domain/refusal.js';
import type { RelationEvent } from '../../domain/relation/events.js';
import { likePost, unlikePost } from '../../domain/relation/like.js';
import type { Like, LikeAction } from '../../domain/relation/like.js';
import { aggregates, readState } from '../support/aggregates.js';
import { ShownPosts } from '../post/shown-posts.js';
import { handles } from '../support/handles.js';
import type { Intent } from '../support/intent.js';
import { OtherActors } from '../support/other-actors.js';
import type { WriteSide } from '../support/write-side.js';
import { relationOf } from './relation-outcome.js';
import type { RelationOutcome } from './relation-outcome.js';

abstract class LikeCommand extends Command<RelationOutcome> {
  constructor(
    readonly intent: Intent,
    readonly postId: string,
  ) {
    super();
  }
}

export class LikePost extends LikeCommand {}

export class UnlikePost extends LikeCommand {}

export const likeHandlers = [
  handles(LikePost, { others: OtherActors, shown: ShownPosts }, (asked, write, parts) =>
    changeLike(asked, write, 'like', async (like, action) =>
      likePost(like, action, await likeableAuthor(asked, write, parts)),
    ),
  ),
  handles(UnlikePost, (asked, write) => changeLike(asked, write, 'unlike', unlikePost)),
];

async function changeLike(
  { intent, postId }: LikeCommand,
  write: WriteSide,
  verb: 'like' | 'unlike',
  decide: (like: Like, action: LikeAction) => Decision<RelationEvent> | Promise<Decision<RelationEvent>>,
): Promise<RelationOutcome> {
  const { actorId } = intent;
  const action = { actorId, postId, at: write.now() };
  const { state, position } = await write.intent(
    { verb },
    {
      ...aggregates.like(actorId, postId),
      intent,
      isLimited: verb === 'like',
      isProbablyNew: verb === 'like',
      decide: (like) => decide(like, action),
    },
  );
  if (!state) return { relation: null, position };
  const { targetActorId } = state;
  return {
    relation: relationOf({ kind: 'like', actorId, targetId: postId, targetActorId }, state),
    position,
  };
}

async function likeableAuthor(
  { intent, postId }: LikeCommand,
  { log }: WriteSide,
  { others, shown }: { readonly others: OtherActors; readonly shown: ShownPosts },
): Promise<string | undefined> {
  const found = await shown.find(intent.actorId, postId);
  if (found) return found.authorActorId;
  const post = await readState(log, aggregates.post(postId));
  if (post.status !== 'published') return undefined;
  return (await others.mayInteract(intent.actorId, post.authorActorId)) ? post.authorActorId : undefined;
}
