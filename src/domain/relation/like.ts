import type { Decision } from '../refusal.js';
import type { RelationEnded, RelationEstablished, RelationEvent } from './events.js';
import { interactionUnavailable } from './relation-state.js';
import type { RelationState } from './relation-state.js';

export type Like = (RelationState & { readonly targetActorId: string }) | undefined;

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

export interface LikeAction {
  readonly actorId: string;
  readonly postId: string;
  readonly at: number;
}

export function likePost(
  like: Like,
  { actorId, postId, at }: LikeAction,
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

/** Independent of the post: a like can be withdrawn even if the post is deleted or hidden. */
export function unlikePost(like: Like, { actorId, postId, at }: LikeAction): Decision<RelationEnded> {
  if (!like?.active) return [];
  const { generation, targetActorId } = like;
  return [
    {
      type: 'relation.ended',
      data: { kind: 'like', actorId, targetId: postId, targetActorId, generation, cause: 'actor', at },
    },
  ];
}
