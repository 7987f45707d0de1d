import { Command } from '@nestjs/cqrs';
import type { Decision } from '../../domain/refusal.js';
import { block, follow, unblock, unfollow } from '../../domain/relation/pair.js';
import type { PairAction, Pair, PairEvent } from '../../domain/relation/pair.js';
import { aggregates } from '../support/aggregates.js';
import { handles } from '../support/handles.js';
import type { Intent } from '../support/intent.js';
import { OtherActors } from '../support/other-actors.js';
import type { WriteSide } from '../support/write-side.js';
import { relationOf } from './relation-outcome.js';
import type { RelationOutcome } from './relation-outcome.js';

export interface BlockOutcome {
  readonly blocked: boolean;
  readonly position: bigint;
}

abstract class PairCommand<Outcome> extends Command<Outcome> {
  constructor(
    readonly intent: Intent,
    readonly targetActorId: string,
  ) {
    super();
  }
}

export class Follow extends PairCommand<RelationOutcome> {}

export class Unfollow extends PairCommand<RelationOutcome> {}

export class Block extends PairCommand<BlockOutcome> {}

export class Unblock extends PairCommand<BlockOutcome> {}

export const pairHandlers = [
  handles(Follow, { others: OtherActors }, async (asked, write, { others }) => {
    const isAvailable = await others.isActive(asked.targetActorId);
    return changeFollow(asked, write, {
      verb: 'follow',
      isLimited: true,
      isProbablyNew: true,
      decide: (pair, action) => follow(pair, action, isAvailable),
    });
  }),
  handles(Unfollow, (asked, write) => changeFollow(asked, write, { verb: 'unfollow', decide: unfollow })),
  handles(Block, { others: OtherActors }, async (asked, write, { others }) => {
    const isKnown = await others.exists(asked.targetActorId);
    return changeBlock(asked, write, {
      verb: 'block',
      decide: (pair, action) => block(pair, action, isKnown),
    });
  }),
  handles(Unblock, (asked, write) =>
    changeBlock(asked, write, { verb: 'unblock', isLimited: true, decide: unblock }),
  ),
];

interface PairChange {
  readonly verb: 'follow' | 'unfollow' | 'block' | 'unblock';
  readonly isLimited?: boolean;
  readonly isProbablyNew?: boolean;
  readonly decide: (pair: Pair, action: PairAction) => Decision<PairEvent>;
}

/** Events of follow and unfollow commands. A block ends follows too, but such an event belongs to the block command. */
const isFollowing = ({ type, data }: PairEvent): boolean =>
  type === 'relation.established' || (type === 'relation.ended' && data.cause === 'actor');

const isBlocking = ({ type }: PairEvent): boolean => type === 'block.established' || type === 'block.ended';

async function changeFollow(
  asked: Follow | Unfollow,
  write: WriteSide,
  change: PairChange,
): Promise<RelationOutcome> {
  const { pair, position } = await changePair(asked, write, change, isFollowing);
  const { actorId } = asked.intent;
  const { targetActorId } = asked;
  const state = pair.follows[actorId];
  const identity = { kind: 'follow', actorId, targetId: targetActorId, targetActorId } as const;
  return { relation: state ? relationOf(identity, state) : null, position };
}

async function changeBlock(
  asked: Block | Unblock,
  write: WriteSide,
  change: PairChange,
): Promise<BlockOutcome> {
  const { pair, position } = await changePair(asked, write, change, isBlocking);
  return { blocked: pair.blockedBy.includes(asked.intent.actorId), position };
}

/** Follows and blocks share one stream for each pair of actors. @throws {Refusal} and errors of log and vault. */
async function changePair(
  { intent, targetActorId }: PairCommand<unknown>,
  write: WriteSide,
  { verb, isLimited = false, isProbablyNew = false, decide }: PairChange,
  filter: (event: PairEvent) => boolean,
): Promise<{ readonly pair: Pair; readonly position: bigint }> {
  const { actorId } = intent;
  const action = { actorId, targetActorId, at: write.now() };
  const { state: pair, position } = await write.intent(
    { verb },
    {
      ...aggregates.pair(actorId, targetActorId),
      intent,
      filter,
      // Events of the other actor, such as a block, are not disclosed, nor is the end of a follow by a block. A block
      // of one's own has an event of its own behind that end.
      isVisible: ({ type, data }) =>
        data.actorId === actorId && !(type === 'relation.ended' && data.cause === 'block'),
      isLimited,
      isProbablyNew,
      decide: (state) => decide(state, action),
    },
  );
  return { pair, position };
}
