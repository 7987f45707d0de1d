import { Injectable } from '@nestjs/common';
import type { Decision } from '../../domain/refusal.js';
import { evolvePair, initialPair } from '../../domain/relation/pair.js';
import type { PairAction, Pair, PairEvent } from '../../domain/relation/pair.js';
import { EventLog } from '../../log/event-log.js';
import { payloadDigest } from '../../log/encryption.js';
import { streams } from '../../log/streams.js';
import { KeyVault } from '../../log/vault/key-vault.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleIdempotentCommand } from '../support/handle-idempotent-command.js';
import type { Intent } from '../support/intent.js';

export interface PairCommand {
  readonly intent: Intent;
  readonly targetActorId: string;
  readonly verb: 'follow' | 'unfollow' | 'block' | 'unblock';
  readonly filter: (event: PairEvent) => boolean;
  readonly isLimited?: boolean;
  readonly decide: (pair: Pair, action: PairAction) => Decision<PairEvent>;
}

export interface PairOutcome {
  readonly pair: Pair;
  readonly position: bigint;
}

/**
 * Executes follows and blocks, which share one stream for each pair of actors.
 * @throws {Refusal} and errors of log and vault.
 */
@Injectable()
export class PairCommands {
  constructor(
    private readonly log: EventLog,
    private readonly vault: KeyVault,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute(command: PairCommand): Promise<PairOutcome> {
    const { intent, targetActorId, verb, filter, isLimited = false, decide } = command;
    const { actorId } = intent;
    const action = { actorId, targetActorId, at: this.clock.now() };
    const { state: pair, position } = await handleIdempotentCommand<Pair, PairEvent>(this.log, this.ids, {
      stream: streams.pair(actorId, targetActorId),
      initial: initialPair,
      evolve: evolvePair,
      intent,
      payloadHash: payloadDigest(await this.vault.keyOf(actorId), { verb }),
      filter,
      // Events of the other actor, such as a block, are not disclosed, nor is the end of a follow by a block. A block
      // of one's own has an event of its own behind that end.
      isVisible: ({ type, data }) =>
        data.actorId === actorId && !(type === 'relation.ended' && data.cause === 'block'),
      isLimited,
      decide: (state) => decide(state, action),
    });
    return { pair, position };
  }
}
