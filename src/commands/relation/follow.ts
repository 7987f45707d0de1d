import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { follow, unfollow } from '../../domain/relation/pair.js';
import type { PairEvent } from '../../domain/relation/pair.js';
import type { Intent } from '../support/intent.js';
import { PairCommands } from './pair-commands.js';
import type { PairOutcome } from './pair-commands.js';
import { relationOf } from './relation-outcome.js';
import type { RelationOutcome } from './relation-outcome.js';
import { OtherActors } from '../support/other-actors.js';

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

/** Events of follow and unfollow commands. A block ends follows too, but such an event belongs to the block command. */
const isFollowing = ({ type, data }: PairEvent): boolean =>
  type === 'relation.established' || (type === 'relation.ended' && data.cause === 'actor');

function outcomeOf({ intent, targetActorId }: Follow | Unfollow, outcome: PairOutcome): RelationOutcome {
  const { actorId } = intent;
  const state = outcome.pair.follows[actorId];
  const identity = { kind: 'follow', actorId, targetId: targetActorId, targetActorId } as const;
  return { relation: state ? relationOf(identity, state) : null, position: outcome.position };
}

@CommandHandler(Follow)
export class FollowHandler implements ICommandHandler<Follow> {
  constructor(
    private readonly commands: PairCommands,
    private readonly others: OtherActors,
  ) {}

  async execute(command: Follow): Promise<RelationOutcome> {
    const { intent, targetActorId } = command;
    const isAvailable = await this.others.isActive(targetActorId);
    const outcome = await this.commands.execute({
      intent,
      targetActorId,
      verb: 'follow',
      filter: isFollowing,
      isLimited: true,
      decide: (pair, action) => follow(pair, action, isAvailable),
    });
    return outcomeOf(command, outcome);
  }
}

@CommandHandler(Unfollow)
export class UnfollowHandler implements ICommandHandler<Unfollow> {
  constructor(private readonly commands: PairCommands) {}

  async execute(unfollowing: Unfollow): Promise<RelationOutcome> {
    const { intent, targetActorId } = unfollowing;
    const command = {
      intent,
      targetActorId,
      verb: 'unfollow',
      filter: isFollowing,
      decide: unfollow,
    } as const;
    return outcomeOf(unfollowing, await this.commands.execute(command));
  }
}
