import { Injectable } from '@nestjs/common';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { Decision } from '../domain/refusal.js';
import { block, evolvePair, strangers, unblock } from '../domain/relation/pair.js';
import type { Act, Pair, PairEvent } from '../domain/relation/pair.js';
import { EventLog } from '../log/event-log.js';
import { payloadDigest } from '../log/sealing.js';
import { streams } from '../log/streams.js';
import { KeyVault } from '../log/vault/key-vault.js';
import { Clock, Ids } from './ambient.js';
import { decideIntent } from './decide-intent.js';
import type { Intent } from './intent.js';
import { SocialFacts } from './social-facts.js';

/** Whether the actor blocks the other one, and the position in the log from which readers see it. */
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

@Injectable()
abstract class BlockingHandler {
  constructor(
    protected readonly log: EventLog,
    protected readonly vault: KeyVault,
    protected readonly facts: SocialFacts,
    protected readonly clock: Clock,
    protected readonly ids: Ids,
  ) {}

  protected async carryOut(
    { intent, targetActorId }: Block | Unblock,
    verb: 'block' | 'unblock',
    decide: (pair: Pair, act: Act) => Decision<PairEvent>,
  ): Promise<BlockOutcome> {
    const { actorId } = intent;
    const act = { actorId, targetActorId, at: this.clock.now() };
    const { state, position } = await decideIntent<Pair, PairEvent>(this.log, this.ids, {
      stream: streams.pair(actorId, targetActorId),
      initial: strangers,
      evolve: evolvePair,
      intent,
      payloadHash: payloadDigest(await this.vault.keyOf(actorId), { verb }),
      concerns: isBlocking,
      // What the other one did, a block say, is nobody else's to find out.
      shows: ({ data }) => data.actorId === actorId,
      isCounted: verb === 'unblock',
      decide: (pair) => decide(pair, act),
    });
    return { blocked: state.blockedBy.includes(actorId), position };
  }
}

@CommandHandler(Block)
export class BlockHandler extends BlockingHandler implements ICommandHandler<Block> {
  /** @throws {Refusal} and what log and store throw. */
  async execute(command: Block): Promise<BlockOutcome> {
    const isKnown = await this.facts.isKnown(command.targetActorId);
    return this.carryOut(command, 'block', (pair, act) => block(pair, act, isKnown));
  }
}

@CommandHandler(Unblock)
export class UnblockHandler extends BlockingHandler implements ICommandHandler<Unblock> {
  /** @throws {Refusal} and what log and vault throw. */
  execute(command: Unblock): Promise<BlockOutcome> {
    return this.carryOut(command, 'unblock', unblock);
  }
}
