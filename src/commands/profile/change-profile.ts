import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import type { AccountRegistered } from '../../domain/account/events.js';
import type { ProfileChanged } from '../../domain/profile/events.js';
import { changeProfile, evolveProfile, registeredProfile } from '../../domain/profile/profile.js';
import type { Profile, ProfileChange } from '../../domain/profile/profile.js';
import { Refusal } from '../../domain/refusal.js';
import type { Decision } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import { readNewest } from '../../log/read-newest.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { payloadDigest } from '../../log/encryption.js';
import { streams } from '../../log/streams.js';
import { KeyVault } from '../../log/vault/key-vault.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleIdempotentCommand } from '../support/handle-idempotent-command.js';
import { readFromMemory } from '../support/handle-command.js';
import { metadataOf } from '../support/intent.js';
import type { Intent } from '../support/intent.js';
import { ProfileHandles } from './profile-handles.js';

export interface ProfileOutcome {
  readonly profile: Profile;
  readonly position: bigint;
}

export class ChangeProfile extends Command<ProfileOutcome> {
  constructor(
    readonly intent: Intent,
    readonly change: ProfileChange,
  ) {
    super();
  }
}

type Changes = readonly Recorded<ProfileChanged>[];

/**
 * Claims a new handle, changes the profile, releases the old handle, in this order: nobody can claim a handle that a
 * profile has. After a failure between two steps, the same intent resumes where it stopped. A claim is released if
 * another change of the profile came first.
 * @throws {Refusal} `invalid_text`, `invalid_website`, `revision_conflict`, `intent_conflict`; `effect_mismatch`: the
 * handle is taken. {@link PersonErased}, and errors of log and store.
 */
@CommandHandler(ChangeProfile)
export class ChangeProfileHandler implements ICommandHandler<ChangeProfile> {
  constructor(
    private readonly log: EventLog,
    private readonly vault: KeyVault,
    private readonly store: AuthorityStore,
    private readonly handles: ProfileHandles,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ intent, change }: ChangeProfile): Promise<ProfileOutcome> {
    const payloadHash = payloadDigest(await this.vault.keyOf(intent.actorId), change);
    const [registered, past] = await Promise.all([
      this.registered(intent.actorId),
      this.changesOf(intent.actorId),
    ]);
    try {
      return await this.change(registered, past, intent, payloadHash, change);
    } catch (error) {
      if (error instanceof Refusal && typeof change.handle === 'string')
        await this.releaseHandle(change.handle, registered, intent, payloadHash);
      throw error;
    }
  }

  /** Claims the handle of a change that the rules allow, unless the person already holds it. */
  private async decide(
    profile: Profile,
    change: ProfileChange,
    metadata: EventMetadata,
  ): Promise<Decision<ProfileChanged>> {
    const { handle } = change;
    const at = this.clock.now();
    const decision = changeProfile(profile, change, at);
    if (decision instanceof Refusal || typeof handle !== 'string' || handle === profile.heldHandle)
      return decision;
    const [changed] = decision;
    if (!changed) return decision;
    const { actorId, revision: profileRevision } = changed.data;
    try {
      await this.handles.claim(handle, { actorId, profileRevision, at }, metadata);
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
    return decision;
  }

  private async change(
    registered: Profile,
    past: Changes,
    intent: Intent,
    payloadHash: string,
    change: ProfileChange,
  ): Promise<ProfileOutcome> {
    const {
      state,
      ownEvents: own,
      position,
    } = await handleIdempotentCommand(this.log, this.ids, {
      stream: streams.profile(intent.actorId),
      read: readFromMemory(past),
      initial: registered,
      evolve: evolveProfile,
      intent,
      payloadHash,
      isLimited: true,
      decide: (profile) => this.decide(profile, change, metadataOf(intent, payloadHash)),
    });
    await projectInline(own, this.store.db);
    if (own.length > 0 && state.formerHandle !== undefined)
      await this.releaseHandle(state.formerHandle, registered, intent, payloadHash);
    return { profile: state, position };
  }

  /** No effect if the person's profile has the handle again, or another request may still give it that handle. */
  private async releaseHandle(
    handle: string,
    registered: Profile,
    intent: Intent,
    payloadHash: string,
  ): Promise<void> {
    const past = await this.changesOf(intent.actorId);
    // The sign-in name first: otherwise the next holder of the handle would share it with this account.
    const lastHandleChange = past.findLast(({ event }) => event.data.handle !== null);
    await projectInline(lastHandleChange ? [lastHandleChange] : [], this.store.db);
    await this.handles.release(handle, profileAfter(registered, past), metadataOf(intent, payloadHash));
  }

  private async registered(actorId: string): Promise<Profile> {
    const [first] = await readNewest(
      this.log,
      () => this.log.read(streams.account(actorId), { limit: 1 }),
      (found) => found.length > 0,
    );
    if (!first) throw new Refusal('not_found', 'There is no account with this profile.');
    return registeredProfile(first.event as AccountRegistered);
  }

  private async changesOf(actorId: string): Promise<Changes> {
    return (await this.log.read(streams.profile(actorId))) as Changes;
  }
}

const profileAfter = (registered: Profile, changes: Changes): Profile =>
  changes.reduce((profile, { event }) => evolveProfile(profile, event), registered);
