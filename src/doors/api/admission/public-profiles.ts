import { actorNumbers } from '../../../../projections/profile/actor-numbers.read-model.js';
import type { ActorNumbers } from '../../../../projections/profile/actor-numbers.read-model.js';
import { publicProfiles } from '../../../../projections/profile/profile.read-model.js';
import type { PublicProfile } from '../../../../projections/profile/profile.read-model.js';
import { readAsAnybody } from './read-as-anybody.js';
import type { AnybodysReads } from './read-as-anybody.js';

/** For operators: the profiles that anybody can read now. */
export class PublicProfiles {
  constructor(private readonly reads: AnybodysReads) {}

  /** By actor. Empty while the network refuses reads. */
  async of(actorIds: readonly string[]): Promise<ReadonlyMap<string, PublicProfile>> {
    if (actorIds.length === 0) return new Map();
    return (
      (await readAsAnybody(this.reads, publicProfiles, { actorIds })) ?? new Map<string, PublicProfile>()
    );
  }

  /** Undefined while the network refuses reads. */
  numbersOf(actorId: string): Promise<ActorNumbers | undefined> {
    return readAsAnybody(this.reads, actorNumbers, { actorId, now: this.reads.clock.now() });
  }
}
