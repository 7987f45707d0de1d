import { Command } from '@nestjs/cqrs';
import { enrollOperator, issueToken, revokeToken } from '../../domain/operator/operator.js';
import type { EventMetadata } from '../../log/recorded.js';
import { aggregates } from '../support/aggregates.js';
import { handles } from '../support/handles.js';
import type { ChangeResult, WriteSide } from '../support/write-side.js';
import { findInvitation } from './invitations.js';
import { newPersonalToken, operatorSecretHash } from './secrets.js';

/** `validMs`: milliseconds until it expires. */
export interface TokenRequest {
  readonly label: string;
  readonly validMs: number;
}

/** The token is returned once; only its hash is stored. `expiresAt`: Unix milliseconds. */
export interface IssuedToken {
  readonly tokenId: string;
  readonly token: string;
  readonly expiresAt: number;
}

export interface EnrolledOperator extends IssuedToken {
  readonly operatorId: string;
}

/**
 * Ends the invitation and issues the first personal token. The new operator is recorded as its author. Not idempotent:
 * an invitation can be used once.
 * @throws {Refusal} `not_found`, `invalid_text`; errors of log and store.
 */
export class EnrollOperator extends Command<EnrolledOperator> {
  constructor(
    readonly invitationCode: string,
    readonly token: TokenRequest,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/**
 * Not idempotent.
 * @throws {Refusal} `not_found`, `invalid_text`; errors of log and store.
 */
export class IssueOperatorToken extends Command<IssuedToken> {
  constructor(
    readonly operatorId: string,
    readonly token: TokenRequest,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/**
 * Effective on the next request to any process. Idempotent.
 * @throws {Refusal} `not_found`; errors of log and store.
 */
export class RevokeOperatorToken extends Command<ChangeResult> {
  constructor(
    readonly operatorId: string,
    readonly tokenId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export const tokenHandlers = [
  handles(EnrollOperator, async ({ invitationCode, token, metadata }, write) => {
    const at = write.now();
    const { operatorId, invitationHash } = await findInvitation(write.store, invitationCode, at);
    const { issued, data } = newToken(token, write, at);
    await write.project(aggregates.operator(operatorId), { ...metadata, operatorId }, (operator) =>
      enrollOperator(operator, { ...data, operatorId, invitationHash }),
    );
    return { operatorId, ...issued };
  }),

  handles(IssueOperatorToken, async ({ operatorId, token, metadata }, write) => {
    const { issued, data } = newToken(token, write, write.now());
    await write.project(aggregates.operator(operatorId), metadata, (operator) =>
      issueToken(operator, { ...data, operatorId }),
    );
    return issued;
  }),

  handles(RevokeOperatorToken, ({ operatorId, tokenId, metadata }, write) =>
    write.project(aggregates.operator(operatorId), metadata, (operator) =>
      revokeToken(operator, { operatorId, tokenId, at: write.now() }),
    ),
  ),
];

/** `issued`: for its owner; `data`: for the log. */
function newToken({ label, validMs }: TokenRequest, { ids }: WriteSide, at: number) {
  const [tokenId, token, expiresAt] = [ids.random(), newPersonalToken(), at + validMs];
  const data = { tokenId, tokenHash: operatorSecretHash(token), label, expiresAt, at };
  return { issued: { tokenId, token, expiresAt }, data };
}
