import { Injectable } from '@nestjs/common';
import { ReservedHandles } from '../../domain/account/reserved-handles.js';
import { claimForProfile, releaseUnused } from '../../domain/profile/handle.js';
import type { HandleClaim } from '../../domain/profile/handle.js';
import type { Profile } from '../../domain/profile/profile.js';
import type { EventMetadata } from '../../log/recorded.js';
import { claimedHandle } from '../account/erased-handles.js';
import { aggregates } from '../support/aggregates.js';
import { HandleDigest } from '../support/handle-digest.js';
import { WriteSide } from '../support/write-side.js';

@Injectable()
export class ProfileHandles {
  constructor(
    private readonly write: WriteSide,
    private readonly digest: HandleDigest,
    private readonly reserved: ReservedHandles,
  ) {}

  /**
   * @throws {Refusal} `effect_mismatch`: another account holds the handle, or it is reserved; `revision_conflict`. {@link LogUnavailable}
   */
  async claim(name: string, claim: HandleClaim, metadata: EventMetadata): Promise<void> {
    const digest = await this.digest.ofHandle(name);
    await this.write.change(claimedHandle(this.write, { digest, metadata }), metadata, (handle) =>
      claimForProfile(handle, claim, { isReserved: this.reserved.has(name) }),
    );
  }

  /**
   * Releases a handle; no effect if the profile has it, or another request may still give it to the profile.
   * @throws {LogUnavailable}
   */
  async release(name: string, profile: Profile, metadata: EventMetadata): Promise<void> {
    const digest = await this.digest.ofHandle(name);
    await this.write.change(aggregates.handle(digest), metadata, (handle) =>
      releaseUnused(handle, name, profile, this.write.now()),
    );
  }
}
