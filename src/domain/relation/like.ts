import type { Decision } from '../refusal.js';
import type { RelationEnded, RelationEstablished, RelationEvent } from './events.js';
import { interactionUnavailable } from './tie.js';
import type { Tie } from './tie.js';

/** What an actor's like of a post has come to. Undefined: there never was one. */
export type Like = (Tie & { readonly targetActorId: string }) | undefined;

export function evolveLike(like: Like, { type, data }: RelationEvent): Like {
  switch (type) {
    case 'relation.established':
      return {
        active: true,
        generation: data.generation,
        at: data.at,
        targetActorId: data.targetActorId,
      };
    case 'relation.ended':
      return like && { ...like, active: false };
  }
}

/** Who likes which post, or does not any more, and when (Unix ms). */
export interface LikeAct {
  readonly actorId: string;
  readonly postId: string;
  readonly at: number;
}

/** `authorActorId`: of the post; undefined if the actor cannot have to do with it now, whatever the reason. */
export function likePost(
  like: Like,
  { actorId, postId, at }: LikeAct,
  authorActorId: string | undefined,
): Decision<RelationEstablished> {
  if (authorActorId === undefined) return interactionUnavailable();
  if (like?.active) return [];
  const generation = (like?.generation ?? 0) + 1;
  return [
    {
      type: 'relation.established',
      data: { kind: 'like', actorId, targetId: postId, targetActorId: authorActorId, generation, at },
    },
  ];
}

/** Asks nothing of the post: what one gave can be taken back whatever became of it. */
export function unlikePost(like: Like, { actorId, postId, at }: LikeAct): Decision<RelationEnded> {
  if (!like?.active) return [];
  const { generation, targetActorId } = like;
  return [
    {
      type: 'relation.ended',
      data: { kind: 'like', actorId, targetId: postId, targetActorId, generation, cause: 'actor', at },
    },
  ];
}
