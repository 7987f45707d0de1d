import type { Decision } from '../../domain/refusal.js';
import { evolvePair, initialPair } from '../../domain/relation/pair.js';
import type { Act, Pair, PairEvent } from '../../domain/relation/pair.js';
import { EventLog } from '../../log/event-log.js';
import { payloadDigest } from '../../log/encryption.js';
import { streams } from '../../log/streams.js';
import { KeyVault } from '../../log/vault/key-vault.js';
import { Clock, IdGenerator } from '../support/ambient.js';
import { handleIdempotentCommand } from '../support/handle-idempotent-command.js';
import type { Intent } from '../support/intent.js';

/** What one actor does to another. */
export interface PairCommand {
  readonly intent: Intent;
  readonly targetActorId: string;
  readonly verb: 'follow' | 'unfollow' | 'block' | 'unblock';
  /** Which events of the two are of this kind, follows or blocks. */
  readonly filter: (event: PairEvent) => boolean;
  /** As in {@link handleIdempotentCommand}. */
  readonly isLimited?: boolean;
  readonly decide: (pair: Pair, act: Act) => Decision<PairEvent>;
}

/** What the two are to each other by the intent, and the position in the log from which readers see it. */
export interface PairOutcome {
  readonly pair: Pair;
  readonly position: bigint;
}

/** What following and blocking have in common: both are written to the one stream of the two. */
export class PairCommands {
  constructor(
    private readonly log: EventLog,
    private readonly vault: KeyVault,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** @throws {Refusal} and whatever log and vault throw. */
  async execute(command: PairCommand): Promise<PairOutcome> {
    const { intent, targetActorId, verb, filter, isLimited = false, decide } = command;
    const { actorId } = intent;
    const act = { actorId, targetActorId, at: this.clock.now() };
    const { state: pair, position } = await handleIdempotentCommand<Pair, PairEvent>(this.log, this.ids, {
      stream: streams.pair(actorId, targetActorId),
      initial: initialPair,
      evolve: evolvePair,
      intent,
      payloadHash: payloadDigest(await this.vault.keyOf(actorId), { verb }),
      filter,
      // What the other one did, a block say, is nobody else's to find out: nor by the follow that it ended. Of one's own
      // block there is another event behind.
      isVisible: ({ type, data }) =>
        data.actorId === actorId && !(type === 'relation.ended' && data.cause === 'block'),
      isLimited,
      decide: (state) => decide(state, act),
    });
    return { pair, position };
  }
}
