import type { BlockEvent } from '../block/events.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { RelationEnded, RelationEstablished, RelationEvent } from './events.js';

export type PairEvent = RelationEvent | BlockEvent;

/** A relation at its newest generation. `at`: when it was established (Unix ms). */
export interface Tie {
  readonly stands: boolean;
  readonly generation: number;
  readonly at: number;
}

/** What two actors are to each other, each way by the actor who acts. */
export interface Pair {
  readonly follows: { readonly [actorId: string]: Tie };
  /** Who of the two blocks the other. */
  readonly blockedBy: readonly string[];
}

export const strangers: Pair = { follows: {}, blockedBy: [] };

export function evolvePair(pair: Pair, { type, data }: PairEvent): Pair {
  switch (type) {
    case 'relation.established': {
      const { actorId, generation, at } = data;
      return { ...pair, follows: { ...pair.follows, [actorId]: { stands: true, generation, at } } };
    }
    case 'relation.ended': {
      const tie = pair.follows[data.actorId];
      return tie
        ? { ...pair, follows: { ...pair.follows, [data.actorId]: { ...tie, stands: false } } }
        : pair;
    }
    case 'block.established':
      return { ...pair, blockedBy: [...pair.blockedBy, data.actorId] };
    case 'block.ended':
      return { ...pair, blockedBy: pair.blockedBy.filter((actorId) => actorId !== data.actorId) };
  }
}

/** Who acts on whom, and when (Unix ms). */
export interface Act {
  readonly actorId: string;
  readonly targetActorId: string;
  readonly at: number;
}

/** `isAvailable`: whether the target has an account that anybody may see. */
export function follow(pair: Pair, act: Act, isAvailable: boolean): Decision<RelationEstablished> {
  const { actorId, targetActorId, at } = act;
  if (actorId === targetActorId) return new Refusal('self_relation', 'You cannot follow yourself.');
  const tie = pair.follows[actorId];
  if (tie?.stands) return [];
  if (!isAvailable || pair.blockedBy.length > 0) return interactionUnavailable();
  const generation = (tie?.generation ?? 0) + 1;
  return [
    {
      type: 'relation.established',
      data: { kind: 'follow', actorId, targetId: targetActorId, targetActorId, generation, at },
    },
  ];
}

export function unfollow(pair: Pair, act: Act): Decision<RelationEnded> {
  if (act.actorId === act.targetActorId) return new Refusal('self_relation', 'You cannot follow yourself.');
  return endOf(pair, act.actorId, act.targetActorId, act.at, 'actor');
}

/** Ends what the two follow of each other, in the same append: no reader ever sees one without the other. */
export function block(pair: Pair, { actorId, targetActorId, at }: Act): Decision<PairEvent> {
  if (actorId === targetActorId) return new Refusal('self_block', 'You cannot block yourself.');
  if (pair.blockedBy.includes(actorId)) return [];
  return [
    ...endOf(pair, actorId, targetActorId, at, 'block'),
    ...endOf(pair, targetActorId, actorId, at, 'block'),
    { type: 'block.established', data: { actorId, targetActorId, at } },
  ];
}

/** What the two followed of each other before stays ended. */
export function unblock(pair: Pair, { actorId, targetActorId, at }: Act): Decision<BlockEvent> {
  if (actorId === targetActorId) return new Refusal('self_block', 'You cannot block yourself.');
  return pair.blockedBy.includes(actorId)
    ? [{ type: 'block.ended', data: { actorId, targetActorId, at } }]
    : [];
}

function endOf(
  pair: Pair,
  actorId: string,
  targetActorId: string,
  at: number,
  cause: 'actor' | 'block',
): readonly RelationEnded[] {
  const tie = pair.follows[actorId];
  if (!tie?.stands) return [];
  const { generation } = tie;
  const data = {
    kind: 'follow',
    actorId,
    targetId: targetActorId,
    targetActorId,
    generation,
    cause,
    at,
  } as const;
  return [{ type: 'relation.ended', data }];
}

/** In the same words, whatever of it holds: who may not see something cannot tell why. */
export const interactionUnavailable = (): Refusal =>
  new Refusal('interaction_unavailable', 'This cannot be followed or liked now.');
