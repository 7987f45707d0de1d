import { Command } from '@nestjs/cqrs';
import { eraseAccount, eraseWhenDue } from '../../domain/account/account.js';
import type { ExpectedLifecycle } from '../../domain/lifecycle.js';
import { evolveProfile, registeredProfile } from '../../domain/profile/profile.js';
import type { ProfileChanged } from '../../domain/profile/events.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { readNewest } from '../../log/read-newest.js';
import { streams } from '../../log/streams.js';
import { PersonErased } from '../../log/vault/key-vault.js';
import { aggregates } from '../support/aggregates.js';
import { HandleDigest } from '../support/handle-digest.js';
import { handles } from '../support/handles.js';
import type { LifecycleChange, WriteSide } from '../support/write-side.js';
import { ErasureSteps } from './erasure-steps.js';

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

export const eraseAccountHandler = handles(
  EraseAccount,
  { digest: HandleDigest, steps: ErasureSteps },
  async ({ actorId, metadata, options }, write, { digest, steps }) => {
    const { onlyWhenDue = false, lifecycle } = options;
    // The erasure names who planned it.
    const requested = onlyWhenDue ? await provenEventsOf(write, actorId) : [];
    const requester = onlyWhenDue ? { ...requesterOf(requested), ...metadata } : metadata;
    const change = await write.lifecycle(aggregates.account(actorId), requester, async (account, [first]) => {
      const identifiers = await identifiersOf(write, digest, actorId, first);
      const erasure = { actorId, ...identifiers, at: write.now() };
      return onlyWhenDue ? eraseWhenDue(account, erasure) : eraseAccount(account, { ...erasure, lifecycle });
    });
    await steps.finish(actorId);
    return change;
  },
);

const provenEventsOf = ({ log }: WriteSide, actorId: string): Promise<readonly Recorded[]> =>
  readNewest(
    log,
    () => log.read(streams.account(actorId)),
    () => false,
  );

/** Reads what the event of the erasure needs before the erasure makes it unreadable. */
async function identifiersOf(
  write: WriteSide,
  digest: HandleDigest,
  actorId: string,
  first: Recorded | undefined,
) {
  if (first?.event.type !== 'account.registered' || first.erased)
    return { handleDigest: undefined, keyId: undefined };
  const changes = await write.log.read(streams.profile(actorId));
  const { heldHandle } = changes
    .map(({ event }) => event as ProfileChanged)
    .reduce(evolveProfile, registeredProfile(first.event));
  return { handleDigest: await digest.ofHandle(heldHandle), keyId: await keyIdOf(write, actorId) };
}

async function keyIdOf({ vault }: WriteSide, actorId: string): Promise<string | undefined> {
  try {
    return (await vault.keyOf(actorId)).id;
  } catch (error) {
    if (error instanceof PersonErased) return undefined;
    throw error;
  }
}

function requesterOf(
  past: readonly Recorded[],
): Pick<EventMetadata, 'actorId' | 'operatorId' | 'operator' | 'reason'> {
  const request = past.findLast(({ event }) => event.type === 'account.erasure_requested');
  const { actorId, operatorId, operator, reason } = request?.metadata ?? {};
  return { actorId, operatorId, operator, reason };
}
