import { Injectable } from '@nestjs/common';
import { evolveHandle, freeHandle } from '../../domain/account/account.js';
import type { HandleEvent } from '../../domain/account/account.js';
import { ReservedHandles } from '../../domain/account/reserved-handles.js';
import { claimForProfile, releaseUnused } from '../../domain/profile/handle.js';
import type { HandleClaim } from '../../domain/profile/handle.js';
import type { Profile } from '../../domain/profile/profile.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand, newestEventOf } from '../support/handle-command.js';
import { releaseIfHolderErased } from '../account/erased-handles.js';
import { HandleDigest } from '../support/handle-digest.js';

@Injectable()
export class ProfileHandles {
  constructor(
    private readonly log: EventLog,
    private readonly digest: HandleDigest,
    private readonly reserved: ReservedHandles,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /**
   * @throws {Refusal} `effect_mismatch`: another account holds the handle, or it is reserved; `revision_conflict`. {@link LogUnavailable}
   */
  async claim(name: string, claim: HandleClaim, metadata: EventMetadata): Promise<void> {
    const { log, ids, clock } = this;
    const digest = await this.digest.ofHandle(name);
    await handleCommand(log, ids, {
      ...(await this.streamOf(name)),
      read: async (_log, stream) => {
        await releaseIfHolderErased({ log, ids, clock }, { digest, metadata });
        return newestEventOf(log, stream);
      },
      decide: (handle) => claimForProfile(handle, claim, { isReserved: this.reserved.has(name) }),
      metadata,
    });
  }

  /**
   * Releases a handle; no effect if the profile has it, or another request may still give it to the profile.
   * @throws {LogUnavailable}
   */
  async release(name: string, profile: Profile, metadata: EventMetadata): Promise<void> {
    await handleCommand(this.log, this.ids, {
      ...(await this.streamOf(name)),
      decide: (handle) => releaseUnused(handle, name, profile, this.clock.now()),
      metadata,
    });
  }

  private async streamOf(name: string) {
    return {
      stream: streams.handle(await this.digest.ofHandle(name)),
      read: newestEventOf,
      initial: freeHandle,
      evolve: (state: typeof freeHandle, event: HandleEvent) => evolveHandle(state, event),
    };
  }
}
