import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { follow, unfollow } from '../../domain/relation/pair.js';
import type { PairEvent } from '../../domain/relation/pair.js';
import type { Intent } from '../support/intent.js';
import { PairCommands } from './pair-commands.js';
import type { PairOutcome } from './pair-commands.js';
import { relationOf } from './relation-outcome.js';
import type { RelationOutcome } from './relation-outcome.js';
import { InteractionPolicy } from '../support/interaction-policy.js';

export class Follow extends Command<RelationOutcome> {
  constructor(
    readonly intent: Intent,
    readonly targetActorId: string,
  ) {
    super();
  }
}

export class Unfollow extends Command<RelationOutcome> {
  constructor(
    readonly intent: Intent,
    readonly targetActorId: string,
  ) {
    super();
  }
}

/** An act of following or not: what a block ends is the block's. */
const isFollowing = ({ type, data }: PairEvent): boolean =>
  type === 'relation.established' || (type === 'relation.ended' && data.cause === 'actor');

function outcomeOf({ intent, targetActorId }: Follow | Unfollow, done: PairOutcome): RelationOutcome {
  const { actorId } = intent;
  const tie = done.pair.follows[actorId];
  const ends = { kind: 'follow', actorId, targetId: targetActorId, targetActorId } as const;
  return { relation: tie ? relationOf(ends, tie) : null, position: done.position };
}

@CommandHandler(Follow)
export class FollowHandler implements ICommandHandler<Follow> {
  constructor(
    private readonly acts: PairCommands,
    private readonly facts: InteractionPolicy,
  ) {}

  /** @throws {Refusal} and what log, vault and store throw. */
  async execute(command: Follow): Promise<RelationOutcome> {
    const { intent, targetActorId } = command;
    const isAvailable = await this.facts.isActive(targetActorId);
    const done = await this.acts.execute({
      intent,
      targetActorId,
      verb: 'follow',
      filter: isFollowing,
      isLimited: true,
      decide: (pair, act) => follow(pair, act, isAvailable),
    });
    return outcomeOf(command, done);
  }
}

@CommandHandler(Unfollow)
export class UnfollowHandler implements ICommandHandler<Unfollow> {
  constructor(private readonly acts: PairCommands) {}

  /** @throws {Refusal} and what log and vault throw. */
  async execute(command: Unfollow): Promise<RelationOutcome> {
    const { intent, targetActorId } = command;
    const act = { intent, targetActorId, verb: 'unfollow', filter: isFollowing, decide: unfollow } as const;
    return outcomeOf(command, await this.acts.execute(act));
  }
}
