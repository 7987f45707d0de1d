import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { block, unblock } from '../../domain/relation/pair.js';
import type { PairEvent } from '../../domain/relation/pair.js';
import type { Intent } from '../support/intent.js';
import { PairCommands } from './pair-commands.js';
import type { PairOutcome } from './pair-commands.js';
import { OtherActors } from '../support/other-actors.js';

export interface BlockOutcome {
  readonly blocked: boolean;
  readonly position: bigint;
}

export class Block extends Command<BlockOutcome> {
  constructor(
    readonly intent: Intent,
    readonly targetActorId: string,
  ) {
    super();
  }
}

export class Unblock extends Command<BlockOutcome> {
  constructor(
    readonly intent: Intent,
    readonly targetActorId: string,
  ) {
    super();
  }
}

const isBlocking = ({ type }: PairEvent): boolean => type === 'block.established' || type === 'block.ended';

const outcomeOf = ({ intent }: Block | Unblock, { pair, position }: PairOutcome): BlockOutcome => ({
  blocked: pair.blockedBy.includes(intent.actorId),
  position,
});

@CommandHandler(Block)
export class BlockHandler implements ICommandHandler<Block> {
  constructor(
    private readonly commands: PairCommands,
    private readonly others: OtherActors,
  ) {}

  async execute(command: Block): Promise<BlockOutcome> {
    const { intent, targetActorId } = command;
    const isKnown = await this.others.exists(targetActorId);
    const outcome = await this.commands.execute({
      intent,
      targetActorId,
      verb: 'block',
      filter: isBlocking,
      decide: (pair, action) => block(pair, action, isKnown),
    });
    return outcomeOf(command, outcome);
  }
}

@CommandHandler(Unblock)
export class UnblockHandler implements ICommandHandler<Unblock> {
  constructor(private readonly commands: PairCommands) {}

  async execute(command: Unblock): Promise<BlockOutcome> {
    const { intent, targetActorId } = command;
    const outcome = await this.commands.execute({
      intent,
      targetActorId,
      verb: 'unblock',
      filter: isBlocking,
      isLimited: true,
      decide: unblock,
    });
    return outcomeOf(command, outcome);
  }
}
