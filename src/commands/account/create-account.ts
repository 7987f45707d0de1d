import { Command } from '@nestjs/cqrs';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import { claimHandle, registerAccount } from '../../domain/account/account.js';
import { ReservedHandles } from '../../domain/account/reserved-handles.js';
import { Refusal } from '../../domain/refusal.js';
import type { EventMetadata } from '../../log/recorded.js';
import { readNewest } from '../../log/read-newest.js';
import { CredentialRow } from '../../base/store/authority/credential.row.js';
import { aggregates, stateAfter } from '../support/aggregates.js';
import { isChange } from '../support/handle-command.js';
import { HandleDigest } from '../support/handle-digest.js';
import { handles } from '../support/handles.js';
import type { WriteSide } from '../support/write-side.js';
import { claimedHandle } from './erased-handles.js';

export interface NewAccount {
  readonly handle: string;
  readonly displayName: string;
  readonly email: string;
  readonly passwordHash: string;
  /** Must be unguessable, or chosen by the operator: the actorId derives from this key. */
  readonly idempotencyKey: string;
  /** True: once the account of this key is erased, the key registers a new one. Otherwise that is refused. */
  readonly recreateOnceErased?: boolean;
}

export interface CreatedAccount {
  readonly actorId: string;
  readonly created: boolean;
}

/**
 * Claims the handle, stores a credential if none exists, registers the account, in this order. After a failure between
 * two steps, the same registration resumes where it stopped. Of concurrent attempts, the one whose event the log took
 * sets the credential.
 * @throws {Refusal} `invalid_text`; `intent_conflict`: the handle is taken, or the account of this key is erased or has
 * other data. Errors of log and stores.
 */
export class CreateAccount extends Command<CreatedAccount> {
  constructor(
    readonly account: NewAccount,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export const createAccountHandler = handles(
  CreateAccount,
  { handleDigest: HandleDigest, reserved: ReservedHandles },
  async ({ account, metadata }, write, { handleDigest, reserved }) => {
    const { handle, displayName, email, passwordHash } = account;
    const { db } = write.store;
    // Decided before any write: a claim for a registration that must fail would hold the handle for good.
    const { actorId, past, registration, decision } = await readNewest(
      write.log,
      async () => {
        const found = await accountOf(write, handleDigest, account);
        const asked = { actorId: found.actorId, handle, displayName, email, at: write.now() };
        return { ...found, registration: asked, decision: registerAccount(found.current, asked) };
      },
      (found) => isChange(found.decision),
    );
    if (decision instanceof Refusal) throw decision;
    if (decision.length === 0) {
      await projectInline(past, db);
      return { actorId, created: false };
    }

    const digest = await handleDigest.ofHandle(handle);
    await write.change(
      { ...claimedHandle(write, { digest, metadata }), isProbablyNew: true },
      metadata,
      (state) => claimHandle(state, { ...registration, isReserved: reserved.has(handle) }),
    );
    const stored = await write.store.rows(storeCredential, [actorId, passwordHash]);
    const { past: earlier, added } = await write.change(
      { ...aggregates.account(actorId), isProbablyNew: past.length === 0 },
      metadata,
      (state) => registerAccount(state, registration),
    );
    const created = added.length > 0;
    if (created && stored.length === 0)
      await db.upsert(CredentialRow, { actorId, passwordHash }, ['actorId']);
    await projectInline([...earlier, ...added], db);
    return { actorId, created };
  },
);

/** Returns a row if no other attempt has stored a credential. */
const storeCredential = {
  name: 'store-credential',
  text: `INSERT INTO authority.credential (actor_id, password_hash) VALUES ($1, $2)
    ON CONFLICT DO NOTHING RETURNING actor_id`,
};

async function accountOf(
  { log }: WriteSide,
  digest: HandleDigest,
  { idempotencyKey, recreateOnceErased = false }: NewAccount,
) {
  for (let attempt = 1; ; attempt++) {
    const name = attempt === 1 ? idempotencyKey : JSON.stringify([idempotencyKey, attempt]);
    const actorId = await digest.actorOf(name);
    const aggregate = aggregates.account(actorId);
    const past = await log.read(aggregate.stream);
    const current = stateAfter(aggregate, past);
    if (current.status !== 'erased' || !recreateOnceErased) return { actorId, past, current };
  }
}
