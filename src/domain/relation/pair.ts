import type { BlockEvent } from '../block/events.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { RelationEnded, RelationEstablished, RelationEvent } from './events.js';
import { interactionUnavailable } from './tie.js';
import type { Tie } from './tie.js';

export type PairEvent = RelationEvent | BlockEvent;

/** What two actors are to each other, each way by the actor who acts. */
export interface Pair {
  readonly follows: { readonly [actorId: string]: Tie };
  /** Who of the two blocks the other. */
  readonly blockedBy: readonly string[];
}

export const initialPair: Pair = { follows: {}, blockedBy: [] };

export function evolvePair(pair: Pair, { type, data }: PairEvent): Pair {
  switch (type) {
    case 'relation.established': {
      const { actorId, generation, at } = data;
      return { ...pair, follows: { ...pair.follows, [actorId]: { active: true, generation, at } } };
    }
    case 'relation.ended': {
      const tie = pair.follows[data.actorId];
      if (!tie) return pair;
      const ended = { ...tie, active: false, takenBack: data.cause === 'actor' };
      return { ...pair, follows: { ...pair.follows, [data.actorId]: ended } };
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

/**
 * `isAvailable`: whether the target has an account that anybody may see. Where it has not, also a follow that stands is
 * refused: otherwise its follower could tell a suspension, which leaves it, from a block, which ends it.
 */
export function follow(pair: Pair, act: Act, isAvailable: boolean): Decision<RelationEstablished> {
  const { actorId, targetActorId, at } = act;
  if (actorId === targetActorId) return selfRelation();
  if (!isAvailable || pair.blockedBy.length > 0) return interactionUnavailable();
  const tie = pair.follows[actorId];
  if (tie?.active) return [];
  const generation = (tie?.generation ?? 0) + 1;
  return [
    {
      type: 'relation.established',
      data: { kind: 'follow', actorId, targetId: targetActorId, targetActorId, generation, at },
    },
  ];
}

/**
 * Asks nothing of the target: what one gave can be taken back whatever became of it. So can, once, what a block ended:
 * otherwise the follower could tell the block, behind which nothing is written any more, from a suspension.
 */
export function unfollow(pair: Pair, { actorId, targetActorId, at }: Act): Decision<RelationEnded> {
  if (actorId === targetActorId) return selfRelation();
  const tie = pair.follows[actorId];
  if (!tie || tie.takenBack === true) return [];
  return [ended(tie, actorId, targetActorId, at, 'actor')];
}

/**
 * Ends what the two follow of each other, in the same append: no reader ever sees one without the other.
 * `isKnown`: whether there is somebody to block, suspended or not.
 */
export function block(
  pair: Pair,
  { actorId, targetActorId, at }: Act,
  isKnown: boolean,
): Decision<PairEvent> {
  if (actorId === targetActorId) return selfBlock();
  if (pair.blockedBy.includes(actorId)) return [];
  if (!isKnown) return new Refusal('not_found', 'There is no such actor to block.');
  return [
    ...endOf(pair, actorId, targetActorId, at),
    ...endOf(pair, targetActorId, actorId, at),
    { type: 'block.established', data: { actorId, targetActorId, at } },
  ];
}

/** What the two followed of each other before stays ended. */
export function unblock(pair: Pair, { actorId, targetActorId, at }: Act): Decision<BlockEvent> {
  if (actorId === targetActorId) return selfBlock();
  return pair.blockedBy.includes(actorId)
    ? [{ type: 'block.ended', data: { actorId, targetActorId, at } }]
    : [];
}

function endOf(pair: Pair, actorId: string, targetActorId: string, at: number): readonly RelationEnded[] {
  const tie = pair.follows[actorId];
  return tie?.active ? [ended(tie, actorId, targetActorId, at, 'block')] : [];
}

function ended(
  { generation }: Tie,
  actorId: string,
  targetActorId: string,
  at: number,
  cause: 'actor' | 'block',
): RelationEnded {
  const of = { kind: 'follow', actorId, targetId: targetActorId, targetActorId } as const;
  return { type: 'relation.ended', data: { ...of, generation, cause, at } };
}

const selfRelation = () => new Refusal('self_relation', 'Nobody follows themselves; name another actor.');

const selfBlock = () => new Refusal('self_block', 'Nobody blocks themselves; name another actor.');
