import { evolvePair, initialPair } from '../../domain/relation/pair.js';
import type { Pair, PairEvent } from '../../domain/relation/pair.js';
import { EventLog } from '../../log/event-log.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../store/authority/authority-store.js';

const stateOf = {
  name: 'account.state',
  text: 'SELECT state FROM authority.account WHERE actor_id = $1',
};

/** What commands have to know of other people. Nothing of it comes from read models, which may be behind. */
export class InteractionPolicy {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
  ) {}

  /** Whether there is such an account, and it is neither suspended nor erased. */
  async isActive(actorId: string): Promise<boolean> {
    return (await this.stateOf(actorId)) === 'active';
  }

  /** Whether there is such an account, suspended or not, and it is not erased. */
  async isKnown(actorId: string): Promise<boolean> {
    return ['active', 'suspended'].includes((await this.stateOf(actorId)) ?? '');
  }

  /** What two actors are to each other. @throws {LogUnavailable} */
  async pairOf(one: string, other: string): Promise<Pair> {
    const recorded = await this.log.read(streams.pair(one, other));
    return recorded.map(({ event }) => event as PairEvent).reduce(evolvePair, initialPair);
  }

  /** Whether `actorId` may deal with what is `otherId`'s: it is there, and no block stands between them. One's own always. */
  async mayInteract(actorId: string, otherId: string): Promise<boolean> {
    if (actorId === otherId) return true;
    const [isActive, { blockedBy }] = await Promise.all([
      this.isActive(otherId),
      this.pairOf(actorId, otherId),
    ]);
    return isActive && blockedBy.length === 0;
  }

  /** Undefined: there is no such account. */
  private async stateOf(actorId: string): Promise<'active' | 'suspended' | 'erased' | undefined> {
    const rows = await this.store.rows<{ state: 'active' | 'suspended' | 'erased' }>(stateOf, [actorId]);
    return rows[0]?.state;
  }
}
