import { Injectable } from '@nestjs/common';
import type { Pair } from '../../domain/relation/pair.js';
import { EventLog } from '../../log/event-log.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { aggregates, readState } from './aggregates.js';

const stateOf = {
  name: 'account.state',
  text: 'SELECT state FROM authority.account WHERE actor_id = $1',
};

/** Facts about other actors for commands, from log and authority store: the read models lag behind. */
@Injectable()
export class OtherActors {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
  ) {}

  async isActive(actorId: string): Promise<boolean> {
    return (await this.stateOf(actorId)) === 'active';
  }

  async exists(actorId: string): Promise<boolean> {
    return ['active', 'suspended'].includes((await this.stateOf(actorId)) ?? '');
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

  private async stateOf(actorId: string): Promise<'active' | 'suspended' | 'erased' | undefined> {
    const rows = await this.store.rows<{ state: 'active' | 'suspended' | 'erased' }>(stateOf, [actorId]);
    return rows[0]?.state;
  }
}
