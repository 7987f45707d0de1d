import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import type { AccountRegistered } from '../../domain/account/events.js';
import type { ProfileChanged } from '../../domain/profile/events.js';
import { changeProfile, evolveProfile, registeredProfile } from '../../domain/profile/profile.js';
import type { Profile, ProfileChange } from '../../domain/profile/profile.js';
import { Refusal } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import { payloadDigest } from '../../log/encryption.js';
import { streams } from '../../log/streams.js';
import { KeyVault } from '../../log/vault/key-vault.js';
import { AuthorityStore } from '../../store/authority/authority-store.js';
import { Clock, IdGenerator } from '../support/ambient.js';
import { handleIdempotentCommand } from '../support/handle-idempotent-command.js';
import { alreadyRead } from '../support/handle-command.js';
import { earlierOutcome, metadataOf } from '../support/intent.js';
import type { Intent } from '../support/intent.js';
import { ProfileHandles } from './profile-handles.js';

/** A profile after a mutation, and the position in the log from which readers see it. */
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
 * Claims a new handle, changes the profile, gives the old handle back, in this order: nobody has two, and nobody else
 * comes to one that is in use. Whatever breaks between two steps, repeating the intent goes on where it stopped; and
 * whoever claimed in vain, since the profile was changed otherwise meanwhile, gives back what was claimed.
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

  /**
   * @throws {Refusal} `invalid_text`, `invalid_website`, `revision_conflict`, `intent_conflict`, `effect_mismatch`: the
   * handle is another's. {@link PersonErased}, and whatever log and store throw.
   */
  async execute({ intent, change }: ChangeProfile): Promise<ProfileOutcome> {
    const payloadHash = payloadDigest(await this.vault.keyOf(intent.actorId), change);
    const [registered, past] = await Promise.all([
      this.registered(intent.actorId),
      this.changesOf(intent.actorId),
    ]);
    try {
      await this.claim(registered, past, intent, payloadHash, change);
      return await this.change(registered, past, intent, payloadHash, change);
    } catch (error) {
      if (error instanceof Refusal && typeof change.handle === 'string')
        await this.releaseHandle(change.handle, registered, intent, payloadHash);
      throw error;
    }
  }

  /** The handle that the change needs and the person does not have, if it is one that the rules let pass. */
  private async claim(
    registered: Profile,
    past: Changes,
    intent: Intent,
    payloadHash: string,
    change: ProfileChange,
  ): Promise<void> {
    if (typeof change.handle !== 'string') return;
    if (earlierOutcome(past, intent, payloadHash)) return;
    const profile = fold(registered, past);
    const at = this.clock.now();
    const decision = changeProfile(profile, change, at);
    if (decision instanceof Refusal) throw decision;
    const [changed] = decision;
    if (!changed || change.handle === profile.heldHandle) return;
    const { actorId, revision: profileRevision } = changed.data;
    const metadata = metadataOf(intent, payloadHash);
    await this.handles.claim(change.handle, { actorId, profileRevision, at }, metadata);
  }

  private async change(
    registered: Profile,
    past: Changes,
    intent: Intent,
    payloadHash: string,
    change: ProfileChange,
  ): Promise<ProfileOutcome> {
    const { state, own, position } = await handleIdempotentCommand(this.log, this.ids, {
      stream: streams.profile(intent.actorId),
      read: alreadyRead(past),
      initial: registered,
      evolve: evolveProfile,
      intent,
      payloadHash,
      isLimited: true,
      decide: (profile) => changeProfile(profile, change, this.clock.now()),
    });
    await projectInline(own, this.store.db);
    if (own.length > 0 && state.formerHandle !== undefined)
      await this.releaseHandle(state.formerHandle, registered, intent, payloadHash);
    return { profile: state, position };
  }

  /** Unless the person has it (again), or may still get it. */
  private async releaseHandle(
    handle: string,
    registered: Profile,
    intent: Intent,
    payloadHash: string,
  ): Promise<void> {
    const past = await this.changesOf(intent.actorId);
    // First the name to sign in with is the one that they have: else the next holder's would be the second account of it.
    const taken = past.findLast(({ event }) => event.data.handle !== null);
    await projectInline(taken ? [taken] : [], this.store.db);
    await this.handles.release(handle, fold(registered, past), metadataOf(intent, payloadHash));
  }

  private async registered(actorId: string): Promise<Profile> {
    const [first] = await this.log.read(streams.account(actorId), { limit: 1 });
    if (!first) throw new Refusal('not_found', 'There is no such account.');
    return registeredProfile(first.event as AccountRegistered);
  }

  private async changesOf(actorId: string): Promise<Changes> {
    return (await this.log.read(streams.profile(actorId))) as Changes;
  }
}

const fold = (registered: Profile, changes: Changes): Profile =>
  changes.reduce((profile, { event }) => evolveProfile(profile, event), registered);
