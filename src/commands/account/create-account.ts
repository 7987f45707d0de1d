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
import { Refusal } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../store/authority/authority-store.js';
import { CredentialRow } from '../../store/authority/credential.row.js';
import { Clock, IdGenerator } from '../support/ambient.js';
import { handleCommand, newestOf } from '../support/handle-command.js';
import { freeOfErased } from './erased-handles.js';
import { HandleDigest } from '../support/handle-digest.js';

export interface NewAccount {
  readonly handle: string;
  readonly displayName: string;
  readonly email: string;
  /** PHC string. The password itself rides on no bus. */
  readonly passwordHash: string;
  /** Names this registration, so that repeating it makes no second account. Must be unguessable, or be the operator's. */
  readonly idempotencyKey: string;
  /** Whether the same registration makes another account once the one that it made is erased. */
  readonly anewOnceErased?: boolean;
}

export interface CreatedAccount {
  readonly actorId: string;
  /** False: the same registration was completed before, and nothing was changed. */
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
 * Claims the handle, keeps a credential if there is none yet, registers the account, in this order: whatever breaks
 * between two steps, the same registration tried again goes on where it stopped, and nobody else can. Of several tries
 * at once the one whose event the log took sets the credential, and no other changes it. The account's identity derives
 * from the registration's name, which only whoever made it knows.
 */
@CommandHandler(CreateAccount)
export class CreateAccountHandler implements ICommandHandler<CreateAccount> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly digest: HandleDigest,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** @throws {Refusal} `invalid_text`, or `intent_conflict` if the handle is taken; whatever log and stores throw. */
  async execute({ account, metadata }: CreateAccount): Promise<CreatedAccount> {
    const { actorId, past, known } = await this.accountOf(account);
    const { handle, displayName, email, passwordHash } = account;
    const registration = { actorId, handle, displayName, email, at: this.clock.now() };
    const stream = streams.account(actorId);

    // Said before anything is written: a claim for a registration that is bound to fail would hold the handle for good.
    const decision = registerAccount(known, registration);
    if (decision instanceof Refusal) throw decision;
    if (decision.length === 0) {
      await projectInline(past, this.store.db);
      return { actorId, created: false };
    }

    const digest = await this.digest.ofHandle(handle);
    const { log, ids, clock } = this;
    await freeOfErased({ log, ids, clock }, { digest, metadata });
    await handleCommand(this.log, this.ids, {
      stream: streams.handle(digest),
      read: newestOf,
      initial: freeHandle,
      evolve: (state, event: HandleEvent) => evolveHandle(state, event),
      decide: (state) => claimHandle(state, registration),
      metadata,
    });
    const credential = { actorId, passwordHash };
    const { db } = this.store;
    await db.createQueryBuilder().insert().into(CredentialRow).values(credential).orIgnore().execute();
    const { past: before, added } = await handleCommand(this.log, this.ids, {
      stream,
      initial: noAccount,
      evolve: evolveAccount,
      decide: (state) => registerAccount(state, registration),
      metadata,
    });
    const created = added.length > 0;
    if (created) await db.upsert(CredentialRow, credential, ['actorId']);
    // What was there before too: a registration that was cut off after its append ends here.
    await projectInline([...before, ...added], db);
    return { actorId, created };
  }
  /** The account that the registration makes, or made: the first that is not erased, if it may make several. */
  private async accountOf({ idempotencyKey, anewOnceErased = false }: NewAccount) {
    for (let life = 1; ; life++) {
      const name = life === 1 ? idempotencyKey : JSON.stringify([idempotencyKey, life]);
      const actorId = await this.digest.actorOf(name);
      const past = await this.log.read(streams.account(actorId));
      const known = past.map(({ event }) => event as AccountEvent).reduce(evolveAccount, noAccount);
      if (known.status !== 'erased' || !anewOnceErased) return { actorId, past, known };
    }
  }
}
