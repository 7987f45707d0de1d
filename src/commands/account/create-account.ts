import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import {
  claimHandle,
  evolveAccount,
  evolveHandle,
  freeHandle,
  noAccount,
  registerAccount,
} from '../../domain/account/account.js';
import type { AccountEvent, HandleEvent } from '../../domain/account/account.js';
import { ReservedHandles } from '../../domain/account/reserved-handles.js';
import { Refusal } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { readNewest } from '../../log/read-newest.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { CredentialRow } from '../../base/store/authority/credential.row.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand, isChange, newestEventOf } from '../support/handle-command.js';
import { releaseIfHolderErased } from './erased-handles.js';
import { HandleDigest } from '../support/handle-digest.js';

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

export class CreateAccount extends Command<CreatedAccount> {
  constructor(
    readonly account: NewAccount,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/**
 * Claims the handle, stores a credential if none exists, registers the account, in this order. After a failure between
 * two steps, the same registration resumes where it stopped. Of concurrent attempts, the one whose event the log took
 * sets the credential.
 * @throws {Refusal} `invalid_text`; `intent_conflict`: the handle is taken, or the account of this key is erased or has
 * other data. Errors of log and stores.
 */
@CommandHandler(CreateAccount)
export class CreateAccountHandler implements ICommandHandler<CreateAccount> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly digest: HandleDigest,
    private readonly reserved: ReservedHandles,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ account, metadata }: CreateAccount): Promise<CreatedAccount> {
    const { handle, displayName, email, passwordHash } = account;
    // Decided before any write: a claim for a registration that must fail would hold the handle for good.
    const { actorId, past, registration, decision } = await readNewest(
      this.log,
      async () => {
        const found = await this.accountOf(account);
        const asked = { actorId: found.actorId, handle, displayName, email, at: this.clock.now() };
        return { ...found, registration: asked, decision: registerAccount(found.current, asked) };
      },
      (found) => isChange(found.decision),
    );
    const stream = streams.account(actorId);
    if (decision instanceof Refusal) throw decision;
    if (decision.length === 0) {
      await projectInline(past, this.store.db);
      return { actorId, created: false };
    }

    const digest = await this.digest.ofHandle(handle);
    const { log, ids, clock } = this;
    await handleCommand(this.log, this.ids, {
      stream: streams.handle(digest),
      read: async (_log, handleStream) => {
        await releaseIfHolderErased({ log, ids, clock }, { digest, metadata });
        return newestEventOf(log, handleStream);
      },
      initial: freeHandle,
      evolve: (state, event: HandleEvent) => evolveHandle(state, event),
      decide: (state) => claimHandle(state, { ...registration, isReserved: this.reserved.has(handle) }),
      metadata,
    });
    const credential = { actorId, passwordHash };
    const { db } = this.store;
    await db.createQueryBuilder().insert().into(CredentialRow).values(credential).orIgnore().execute();
    const { past: earlier, added } = await handleCommand(this.log, this.ids, {
      stream,
      initial: noAccount,
      evolve: evolveAccount,
      decide: (state) => registerAccount(state, registration),
      metadata,
    });
    const created = added.length > 0;
    if (created) await db.upsert(CredentialRow, credential, ['actorId']);
    await projectInline([...earlier, ...added], db);
    return { actorId, created };
  }
  private async accountOf({ idempotencyKey, recreateOnceErased = false }: NewAccount) {
    for (let attempt = 1; ; attempt++) {
      const name = attempt === 1 ? idempotencyKey : JSON.stringify([idempotencyKey, attempt]);
      const actorId = await this.digest.actorOf(name);
      const past = await this.log.read(streams.account(actorId));
      const current = past.map(({ event }) => event as AccountEvent).reduce(evolveAccount, noAccount);
      if (current.status !== 'erased' || !recreateOnceErased) return { actorId, past, current };
    }
  }
}
