import { Command } from '@nestjs/cqrs';
import { enrollWithPasskey, registerPasskey, removePasskey } from '../../domain/operator/passkeys.js';
import { Refusal } from '../../domain/refusal.js';
import type { EventMetadata } from '../../log/recorded.js';
import { aggregates } from '../support/aggregates.js';
import { handles } from '../support/handles.js';
import type { ChangeResult, WriteSide } from '../support/write-side.js';
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

export const passkeyHandlers = [
  handles(EnrollWithPasskey, async ({ invitationCode, credential, metadata }, write) => {
    const at = write.now();
    const { operatorId, invitationHash } = await findInvitation(write.store, invitationCode, at);
    await requireNew(credential, write);
    const passkeyId = write.ids.random();
    const enrollment = { ...credential, operatorId, passkeyId, invitationHash, at };
    await write.project(aggregates.operator(operatorId), { ...metadata, operatorId }, (operator) =>
      enrollWithPasskey(operator, enrollment),
    );
    return { operatorId, passkeyId };
  }),

  handles(RegisterPasskey, async ({ operatorId, credential, metadata }, write) => {
    await requireNew(credential, write);
    const passkeyId = write.ids.random();
    const passkey = { ...credential, operatorId, passkeyId, at: write.now() };
    await write.project(aggregates.operator(operatorId), metadata, (operator) =>
      registerPasskey(operator, passkey),
    );
    return { operatorId, passkeyId };
  }),

  handles(RemovePasskey, ({ operatorId, passkeyId, metadata }, write) =>
    write.project(aggregates.operator(operatorId), metadata, (operator) =>
      removePasskey(operator, { operatorId, passkeyId, at: write.now() }),
    ),
  ),
];

/** WebAuthn Level 3, section 7.1, step 26: a credential belongs to one account. */
async function requireNew({ credentialId }: VerifiedCredential, { store }: WriteSide): Promise<void> {
  const known = await store.rows(passkeyOfCredential, [credentialId]);
  if (known.length > 0) throw new Refusal('intent_conflict', 'This passkey is registered already.');
}
