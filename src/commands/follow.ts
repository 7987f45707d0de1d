import { Injectable } from '@nestjs/common';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { Decision } from '../domain/refusal.js';
import { evolvePair, follow, strangers, unfollow } from '../domain/relation/pair.js';
import type { Act, Pair, PairEvent } from '../domain/relation/pair.js';
import { EventLog } from '../log/event-log.js';
import { payloadDigest } from '../log/sealing.js';
import { streams } from '../log/streams.js';
import { KeyVault } from '../log/vault/key-vault.js';
import { Clock, Ids } from './ambient.js';
import { decideIntent } from './decide-intent.js';
import type { Intent } from './intent.js';
import { relationOf } from './relation-outcome.js';
import type { RelationOutcome } from './relation-outcome.js';
import { SocialFacts } from './social-facts.js';

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

@Injectable()
abstract class FollowingHandler {
  constructor(
    protected readonly log: EventLog,
    protected readonly vault: KeyVault,
    protected readonly facts: SocialFacts,
    protected readonly clock: Clock,
    protected readonly ids: Ids,
  ) {}

  protected async carryOut(
    { intent, targetActorId }: Follow | Unfollow,
    verb: 'follow' | 'unfollow',
    decide: (pair: Pair, act: Act) => Decision<PairEvent>,
  ): Promise<RelationOutcome> {
    const { actorId } = intent;
    const act = { actorId, targetActorId, at: this.clock.now() };
    const { state, position } = await decideIntent<Pair, PairEvent>(this.log, this.ids, {
      stream: streams.pair(actorId, targetActorId),
      initial: strangers,
      evolve: evolvePair,
      intent,
      payloadHash: payloadDigest(await this.vault.keyOf(actorId), { verb }),
      concerns: isFollowing,
      // What the other one did, a block say, is nobody else's to find out.
      shows: ({ data }) => data.actorId === actorId,
      isCounted: verb === 'follow',
      decide: (pair) => decide(pair, act),
    });
    const tie = state.follows[actorId];
    const ends = { kind: 'follow', actorId, targetId: targetActorId, targetActorId } as const;
    return { relation: tie ? relationOf(ends, tie) : null, position };
  }
}

@CommandHandler(Follow)
export class FollowHandler extends FollowingHandler implements ICommandHandler<Follow> {
  /** @throws {Refusal} and what log and store throw. */
  async execute(command: Follow): Promise<RelationOutcome> {
    const isAvailable = await this.facts.isActive(command.targetActorId);
    return this.carryOut(command, 'follow', (pair, act) => follow(pair, act, isAvailable));
  }
}

@CommandHandler(Unfollow)
export class UnfollowHandler extends FollowingHandler implements ICommandHandler<Unfollow> {
  /** @throws {Refusal} and what log and vault throw. */
  execute(command: Unfollow): Promise<RelationOutcome> {
    return this.carryOut(command, 'unfollow', unfollow);
  }
}
