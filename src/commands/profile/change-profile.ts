import { Command } from '@nestjs/cqrs';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import type { AccountRegistered } from '../../domain/account/events.js';
import type { ProfileChanged } from '../../domain/profile/events.js';
import { changeProfile, evolveProfile, registeredProfile } from '../../domain/profile/profile.js';
import type { Profile, ProfileChange } from '../../domain/profile/profile.js';
import { Refusal } from '../../domain/refusal.js';
import type { Decision } from '../../domain/refusal.js';
import { readNewest } from '../../log/read-newest.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { payloadDigest } from '../../log/encryption.js';
import { streams } from '../../log/streams.js';
import { handleIdempotentCommand } from '../support/handle-idempotent-command.js';
import { readFromMemory } from '../support/handle-command.js';
import { handles } from '../support/handles.js';
import { metadataOf } from '../support/intent.js';
import type { Intent } from '../support/intent.js';
import type { WriteSide } from '../support/write-side.js';
import { ProfileHandles } from './profile-handles.js';

export interface ProfileOutcome {
  readonly profile: Profile;
  readonly position: bigint;
}

/**
 * Claims a new handle, changes the profile, releases the old handle, in this order: nobody can claim a handle that a
 * profile has. After a failure between two steps, the same intent resumes where it stopped. A claim is released if
 * another change of the profile came first.
 * @throws {Refusal} `invalid_text`, `invalid_website`, `revision_conflict`, `intent_conflict`; `effect_mismatch`: the
 * handle is taken. {@link PersonErased}, and errors of log and store.
 */
export class ChangeProfile extends Command<ProfileOutcome> {
  constructor(
    readonly intent: Intent,
    readonly change: ProfileChange,
  ) {
    super();
  }
}

type Changes = readonly Recorded<ProfileChanged>[];

export const changeProfileHandler = handles(
  ChangeProfile,
  { handles: ProfileHandles },
  async ({ intent, change }, write, parts) => {
    const payloadHash = payloadDigest(await write.vault.keyOf(intent.actorId), change);
    const [registered, past] = await Promise.all([
      registeredOf(write, intent.actorId),
      changesOf(write, intent.actorId),
    ]);
    const changing = new ProfileChanging(write, parts.handles, registered, intent, payloadHash);
    try {
      return await changing.change(past, change);
    } catch (error) {
      if (error instanceof Refusal && typeof change.handle === 'string')
        await changing.releaseHandle(change.handle);
      throw error;
    }
  },
);

/** One change of a profile. `registered`: the profile before its first change. */
class ProfileChanging {
  private readonly metadata: EventMetadata;

  constructor(
    private readonly write: WriteSide,
    private readonly handles: ProfileHandles,
    private readonly registered: Profile,
    private readonly intent: Intent,
    private readonly payloadHash: string,
  ) {
    this.metadata = metadataOf(intent, payloadHash);
  }

  async change(past: Changes, change: ProfileChange): Promise<ProfileOutcome> {
    const { write, intent, payloadHash } = this;
    const {
      state,
      ownEvents: own,
      position,
    } = await handleIdempotentCommand(write.log, write.ids, {
      stream: streams.profile(intent.actorId),
      read: readFromMemory(past),
      initial: this.registered,
      evolve: evolveProfile,
      intent,
      payloadHash,
      isLimited: true,
      decide: (profile) => this.decide(profile, change),
    });
    await projectInline(own, write.store.db);
    if (own.length > 0 && state.formerHandle !== undefined) await this.releaseHandle(state.formerHandle);
    return { profile: state, position };
  }

  /** Claims the handle of a change that the rules allow, unless the person already holds it. */
  private async decide(profile: Profile, change: ProfileChange): Promise<Decision<ProfileChanged>> {
    const { handle } = change;
    const at = this.write.now();
    const decision = changeProfile(profile, change, at);
    if (decision instanceof Refusal || typeof handle !== 'string' || handle === profile.heldHandle)
      return decision;
    const [changed] = decision;
    if (!changed) return decision;
    const { actorId, revision: profileRevision } = changed.data;
    try {
      await this.handles.claim(handle, { actorId, profileRevision, at }, this.metadata);
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
    return decision;
  }

  /** No effect if the person's profile has the handle again, or another request may still give it that handle. */
  async releaseHandle(handle: string): Promise<void> {
    const past = await changesOf(this.write, this.intent.actorId);
    // The sign-in name first: otherwise the next holder of the handle would share it with this account.
    const lastHandleChange = past.findLast(({ event }) => event.data.handle !== null);
    await projectInline(lastHandleChange ? [lastHandleChange] : [], this.write.store.db);
    const profile = past.reduce((older, { event }) => evolveProfile(older, event), this.registered);
    await this.handles.release(handle, profile, this.metadata);
  }
}

async function registeredOf({ log }: WriteSide, actorId: string): Promise<Profile> {
  const [first] = await readNewest(
    log,
    () => log.read(streams.account(actorId), { limit: 1 }),
    (found) => found.length > 0,
  );
  if (!first) throw new Refusal('not_found', 'There is no account with this profile.');
  return registeredProfile(first.event as AccountRegistered);
}

async function changesOf({ log }: WriteSide, actorId: string): Promise<Changes> {
  return (await log.read(streams.profile(actorId))) as Changes;
}
