import { Injectable } from '@nestjs/common';
import type { Pair } from '../../domain/relation/pair.js';
import { EventLog } from '../../log/event-log.js';
import { GroupedRuns } from '../../base/support/grouped-runs.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { aggregates, readState } from './aggregates.js';

type AccountState = 'active' | 'suspended' | 'erased';

const statesOf = {
  name: 'account.states',
  text: 'SELECT actor_id, state FROM authority.account WHERE actor_id = ANY ($1::text[])',
};

/** Facts about other actors for commands, from log and authority store: the read models lag behind. */
@Injectable()
export class OtherActors {
  private readonly states = new GroupedRuns((actorIds: readonly string[]) => this.statesOf(actorIds));

  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
  ) {}

  async isActive(actorId: string): Promise<boolean> {
    return (await this.states.run(actorId)) === 'active';
  }

  async exists(actorId: string): Promise<boolean> {
    return ['active', 'suspended'].includes((await this.states.run(actorId)) ?? '');
  }

  pairOf(one: string, other: string): Promise<Pair> {
    return readState(this.log, aggregates.pair(one, other));
  }

  /**
   * True if `otherId` is active and no block exists between the two; always true for oneself. @throws {LogUnavailable}
   */
  async mayInteract(actorId: string, otherId: string): Promise<boolean> {
    if (actorId === otherId) return true;
    const [isActive, { blockedBy }] = await Promise.all([
      this.isActive(otherId),
      this.pairOf(actorId, otherId),
    ]);
    return isActive && blockedBy.length === 0;
  }

  /** Those who ask during the statement share the next one. */
  private async statesOf(actorIds: readonly string[]): Promise<readonly (AccountState | undefined)[]> {
    const rows = await this.store.rows<{ actor_id: string; state: AccountState }>(statesOf, [actorIds]);
    const found = new Map(rows.map(({ actor_id: actorId, state }) => [actorId, state]));
    return actorIds.map((actorId) => found.get(actorId));
  }
}
