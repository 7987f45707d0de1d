import type { BlockEvent } from '../block/events.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { RelationEnded, RelationEstablished, RelationEvent } from './events.js';
import { interactionUnavailable } from './relation-state.js';
import type { RelationState } from './relation-state.js';

export type PairEvent = RelationEvent | BlockEvent;

export interface Pair {
  readonly follows: { readonly [actorId: string]: RelationState };
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
      const relation = pair.follows[data.actorId];
      if (!relation) return pair;
      const ended = { ...relation, active: false, takenBack: data.cause === 'actor' };
      return { ...pair, follows: { ...pair.follows, [data.actorId]: ended } };
    }
    case 'block.established':
      return { ...pair, blockedBy: [...pair.blockedBy, data.actorId] };
    case 'block.ended':
      return { ...pair, blockedBy: pair.blockedBy.filter((actorId) => actorId !== data.actorId) };
  }
}

export interface PairAction {
  readonly actorId: string;
  readonly targetActorId: string;
  readonly at: number;
}

/**
 * `isAvailable`: the target has an active account. If not, even a repeated follow is refused: a suspension keeps the
 * follow and a block ends it, and the follower must not learn which of the two happened.
 */
export function follow(pair: Pair, action: PairAction, isAvailable: boolean): Decision<RelationEstablished> {
  const { actorId, targetActorId, at } = action;
  if (actorId === targetActorId) return selfRelation();
  if (!isAvailable || pair.blockedBy.length > 0) return interactionUnavailable();
  const relation = pair.follows[actorId];
  if (relation?.active) return [];
  const generation = (relation?.generation ?? 0) + 1;
  return [
    {
      type: 'relation.established',
      data: { kind: 'follow', actorId, targetId: targetActorId, targetActorId, generation, at },
    },
  ];
}

/**
 * Independent of the target: a follow can always be withdrawn. So can, once, a follow that a block ended: otherwise the
 * follower could tell a block from a suspension.
 */
export function unfollow(pair: Pair, { actorId, targetActorId, at }: PairAction): Decision<RelationEnded> {
  if (actorId === targetActorId) return selfRelation();
  const relation = pair.follows[actorId];
  if (!relation || relation.takenBack === true) return [];
  return [ended(relation, actorId, targetActorId, at, 'actor')];
}

/**
 * Ends both follows in the same append: readers never see a follow beside a block. `isKnown`: the target account
 * exists, suspended or not.
 */
export function block(
  pair: Pair,
  { actorId, targetActorId, at }: PairAction,
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

export function unblock(pair: Pair, { actorId, targetActorId, at }: PairAction): Decision<BlockEvent> {
  if (actorId === targetActorId) return selfBlock();
  return pair.blockedBy.includes(actorId)
    ? [{ type: 'block.ended', data: { actorId, targetActorId, at } }]
    : [];
}

function endOf(pair: Pair, actorId: string, targetActorId: string, at: number): readonly RelationEnded[] {
  const relation = pair.follows[actorId];
  return relation?.active ? [ended(relation, actorId, targetActorId, at, 'block')] : [];
}

function ended(
  { generation }: RelationState,
  actorId: string,
  targetActorId: string,
  at: number,
  cause: 'actor' | 'block',
): RelationEnded {
  const identity = { kind: 'follow', actorId, targetId: targetActorId, targetActorId } as const;
  return { type: 'relation.ended', data: { ...identity, generation, cause, at } };
}

const selfRelation = () => new Refusal('self_relation', 'Nobody follows themselves; name another actor.');

const selfBlock = () => new Refusal('self_block', 'Nobody blocks themselves; name another actor.');
