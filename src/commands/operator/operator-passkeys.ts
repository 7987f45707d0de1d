import { Injectable } from '@nestjs/common';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveOperator, noOperator } from '../../domain/operator/operator.js';
import type { Operator, OperatorEvent } from '../../domain/operator/operator.js';
import { enrollWithPasskey, registerPasskey, removePasskey } from '../../domain/operator/passkeys.js';
import { Refusal } from '../../domain/refusal.js';
import type { Decision } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideAndProject } from '../support/decide-and-project.js';
import type { ChangeResult } from '../support/write-side.js';
import { findInvitation } from './invitations.js';

/** A credential that the browser made and the server verified; see `OperatorPasskeyRegistered`. */
export interface VerifiedCredential {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly transports: readonly string[];
  readonly label: string;
}

export interface RegisteredPasskey {
  readonly operatorId: string;
  readonly passkeyId: string;
}

/**
 * Ends the invitation and registers the first passkey. The new operator is recorded as its author. Not idempotent.
 * @throws {Refusal} `not_found`, `invalid_text`, `intent_conflict`; errors of log and store.
 */
export class EnrollWithPasskey extends Command<RegisteredPasskey> {
  constructor(
    readonly invitationCode: string,
    readonly credential: VerifiedCredential,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/**
 * Not idempotent.
 * @throws {Refusal} `not_found`, `invalid_text`, `intent_conflict`; errors of log and store.
 */
export class RegisterPasskey extends Command<RegisteredPasskey> {
  constructor(
    readonly operatorId: string,
    readonly credential: VerifiedCredential,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/**
 * Effective on the next request to any process, also of a session that began with the passkey. Idempotent.
 * @throws {Refusal} `not_found`; errors of log and store.
 */
export class RemovePasskey extends Command<ChangeResult> {
  constructor(
    readonly operatorId: string,
    readonly passkeyId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

const passkeyOfCredential = {
  name: 'operator-passkey.of-credential',
  text: 'SELECT passkey_id FROM authority.operator_passkey WHERE credential_id = $1 AND removed_at IS NULL',
};

@Injectable()
abstract class PasskeyHandler {
  constructor(
    protected readonly log: EventLog,
    protected readonly store: AuthorityStore,
    protected readonly clock: Clock,
    protected readonly ids: IdGenerator,
  ) {}

  protected change(
    operatorId: string,
    metadata: EventMetadata,
    decide: (operator: Operator) => Decision<OperatorEvent>,
  ): Promise<ChangeResult> {
    return decideAndProject(this.log, this.ids, this.store, {
      stream: streams.operator(operatorId),
      initial: noOperator,
      evolve: evolveOperator,
      decide,
      metadata,
    });
  }

  /** WebAuthn Level 3, section 7.1, step 26: a credential belongs to one account. */
  protected async requireNew({ credentialId }: VerifiedCredential): Promise<void> {
    const known = await this.store.rows(passkeyOfCredential, [credentialId]);
    if (known.length > 0) throw new Refusal('intent_conflict', 'This passkey is registered already.');
  }
}

@CommandHandler(EnrollWithPasskey)
export class EnrollWithPasskeyHandler extends PasskeyHandler implements ICommandHandler<EnrollWithPasskey> {
  async execute({ invitationCode, credential, metadata }: EnrollWithPasskey): Promise<RegisteredPasskey> {
    const at = this.clock.now();
    const { operatorId, invitationHash } = await findInvitation(this.store, invitationCode, at);
    await this.requireNew(credential);
    const passkeyId = this.ids.random();
    const enrollment = { ...credential, operatorId, passkeyId, invitationHash, at };
    await this.change(operatorId, { ...metadata, operatorId }, (operator) =>
      enrollWithPasskey(operator, enrollment),
    );
    return { operatorId, passkeyId };
  }
}

@CommandHandler(RegisterPasskey)
export class RegisterPasskeyHandler extends PasskeyHandler implements ICommandHandler<RegisterPasskey> {
  async execute({ operatorId, credential, metadata }: RegisterPasskey): Promise<RegisteredPasskey> {
    await this.requireNew(credential);
    const passkeyId = this.ids.random();
    const passkey = { ...credential, operatorId, passkeyId, at: this.clock.now() };
    await this.change(operatorId, metadata, (operator) => registerPasskey(operator, passkey));
    return { operatorId, passkeyId };
  }
}

@CommandHandler(RemovePasskey)
export class RemovePasskeyHandler extends PasskeyHandler implements ICommandHandler<RemovePasskey> {
  execute({ operatorId, passkeyId, metadata }: RemovePasskey): Promise<ChangeResult> {
    return this.change(operatorId, metadata, (operator) =>
      removePasskey(operator, { operatorId, passkeyId, at: this.clock.now() }),
    );
  }
}
