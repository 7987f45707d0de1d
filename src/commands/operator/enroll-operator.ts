import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { enrollOperator, evolveOperator, noOperator } from '../../domain/operator/operator.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideAndProject } from '../support/decide-and-project.js';
import { findInvitation } from './invitations.js';
import type { IssuedToken, TokenRequest } from './operator-tokens.js';
import { newPersonalToken, operatorSecretHash } from './secrets.js';

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

@CommandHandler(EnrollOperator)
export class EnrollOperatorHandler implements ICommandHandler<EnrollOperator> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ invitationCode, token, metadata }: EnrollOperator): Promise<EnrolledOperator> {
    const at = this.clock.now();
    const { operatorId, invitationHash } = await findInvitation(this.store, invitationCode, at);
    const [tokenId, secret] = [this.ids.random(), newPersonalToken()];
    const tokenHash = operatorSecretHash(secret);
    const expiresAt = at + token.validMs;
    const enrollment = { operatorId, invitationHash, tokenId, tokenHash, label: token.label, expiresAt, at };
    await decideAndProject(this.log, this.ids, this.store, {
      stream: streams.operator(operatorId),
      initial: noOperator,
      evolve: evolveOperator,
      decide: (operator) => enrollOperator(operator, enrollment),
      metadata: { ...metadata, operatorId },
    });
    return { operatorId, tokenId, token: secret, expiresAt };
  }
}
