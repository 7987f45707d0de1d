import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { eraseAccount, eraseWhenDue, evolveAccount, noAccount } from '../../domain/account/account.js';
import type { AccountEvent } from '../../domain/account/account.js';
import type { ExpectedLifecycle } from '../../domain/lifecycle.js';
import { evolveProfile, registeredProfile } from '../../domain/profile/profile.js';
import type { ProfileChanged } from '../../domain/profile/events.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { readNewest } from '../../log/read-newest.js';
import { streams } from '../../log/streams.js';
import { KeyVault, PersonErased } from '../../log/vault/key-vault.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideLifecycle } from '../support/decide-lifecycle.js';
import type { LifecycleChange } from '../support/write-side.js';
import { ErasureSteps } from './erasure-steps.js';
import { HandleDigest } from '../support/handle-digest.js';

/**
 * Erases a person for good: records the erasure in log and witness, destroys the key, then removes the rows. Repeating
 * the command resumes after a failure. `onlyWhenDue`: erases only if a planned erasure is due and not cancelled.
 * @throws {Refusal} `not_found`, `lifecycle_revision_conflict`; errors of {@link ErasureSteps.finish}, log and store.
 */
export class EraseAccount extends Command<LifecycleChange> {
  constructor(
    readonly actorId: string,
    readonly metadata: EventMetadata,
    readonly options: ExpectedLifecycle & { readonly onlyWhenDue?: boolean } = {},
  ) {
    super();
  }
}

@CommandHandler(EraseAccount)
export class EraseAccountHandler implements ICommandHandler<EraseAccount> {
  constructor(
    private readonly log: EventLog,
    private readonly vault: KeyVault,
    private readonly store: AuthorityStore,
    private readonly digest: HandleDigest,
    private readonly steps: ErasureSteps,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ actorId, metadata, options }: EraseAccount): Promise<LifecycleChange> {
    const { onlyWhenDue = false, lifecycle } = options;
    const requested = onlyWhenDue ? await this.provenEventsOf(actorId) : [];
    const change = await decideLifecycle(this.log, this.ids, this.store, {
      stream: streams.account(actorId),
      initial: noAccount,
      evolve: (account, event: AccountEvent) => evolveAccount(account, event),
      decide: async (account, [first]) => {
        const erasure = { actorId, ...(await this.identifiersOf(actorId, first)), at: this.clock.now() };
        return onlyWhenDue
          ? eraseWhenDue(account, erasure)
          : eraseAccount(account, { ...erasure, lifecycle });
      },
      metadata: onlyWhenDue ? { ...requesterOf(requested), ...metadata } : metadata,
    });
    await this.steps.finish(actorId);
    return change;
  }

  /** The erasure names who planned it. */
  private provenEventsOf(actorId: string): Promise<readonly Recorded[]> {
    return readNewest(
      this.log,
      () => this.log.read(streams.account(actorId)),
      () => false,
    );
  }

  /** Reads what the event of the erasure needs before the erasure makes it unreadable. */
  private async identifiersOf(actorId: string, first: Recorded | undefined) {
    if (first?.event.type !== 'account.registered' || first.erased)
      return { handleDigest: undefined, keyId: undefined };
    const changes = await this.log.read(streams.profile(actorId));
    const { heldHandle } = changes
      .map(({ event }) => event as ProfileChanged)
      .reduce(evolveProfile, registeredProfile(first.event));
    return { handleDigest: await this.digest.ofHandle(heldHandle), keyId: await this.keyIdOf(actorId) };
  }

  private async keyIdOf(actorId: string): Promise<string | undefined> {
    try {
      return (await this.vault.keyOf(actorId)).id;
    } catch (error) {
      if (error instanceof PersonErased) return undefined;
      throw error;
    }
  }
}

function requesterOf(
  past: readonly Recorded[],
): Pick<EventMetadata, 'actorId' | 'operatorId' | 'operator' | 'reason'> {
  const request = past.findLast(({ event }) => event.type === 'account.erasure_requested');
  const { actorId, operatorId, operator, reason } = request?.metadata ?? {};
  return { actorId, operatorId, operator, reason };
}
