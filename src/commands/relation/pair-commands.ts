import type { Decision } from '../../domain/refusal.js';
import { evolvePair, strangers } from '../../domain/relation/pair.js';
import type { Act, Pair, PairEvent } from '../../domain/relation/pair.js';
import { EventLog } from '../../log/event-log.js';
import { payloadDigest } from '../../log/encryption.js';
import { streams } from '../../log/streams.js';
import { KeyVault } from '../../log/vault/key-vault.js';
import { Clock, Ids } from '../support/ambient.js';
import { decideIntent } from '../support/handle-idempotent-command.js';
import type { Intent } from '../support/intent.js';

/** What one actor does to another. */
export interface PairAct {
  readonly intent: Intent;
  readonly targetActorId: string;
  readonly verb: 'follow' | 'unfollow' | 'block' | 'unblock';
  /** Which events of the two are of this kind, follows or blocks. */
  readonly concerns: (event: PairEvent) => boolean;
  /** As in {@link decideIntent}. */
  readonly isCounted?: boolean;
  readonly decide: (pair: Pair, act: Act) => Decision<PairEvent>;
}

/** What the two are to each other by the intent, and the position in the log from which readers see it. */
export interface PairOutcome {
  readonly pair: Pair;
  readonly position: bigint;
}

/** What following and blocking have in common: both are written to the one stream of the two. */
export class PairActs {
  constructor(
    private readonly log: EventLog,
    private readonly vault: KeyVault,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** @throws {Refusal} and whatever log and vault throw. */
  async carryOut(pairAct: PairAct): Promise<PairOutcome> {
    const { intent, targetActorId, verb, concerns, isCounted = false, decide } = pairAct;
    const { actorId } = intent;
    const act = { actorId, targetActorId, at: this.clock.now() };
    const { state: pair, position } = await decideIntent<Pair, PairEvent>(this.log, this.ids, {
      stream: streams.pair(actorId, targetActorId),
      initial: strangers,
      evolve: evolvePair,
      intent,
      payloadHash: payloadDigest(await this.vault.keyOf(actorId), { verb }),
      concerns,
      // What the other one did, a block say, is nobody else's to find out: nor by the follow that it ended. Of one's own
      // block there is another event behind.
      shows: ({ type, data }) =>
        data.actorId === actorId && !(type === 'relation.ended' && data.cause === 'block'),
      isCounted,
      decide: (state) => decide(state, act),
    });
    return { pair, position };
  }
}
