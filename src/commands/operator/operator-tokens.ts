import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveOperator, issueToken, noOperator, revokeToken } from '../../domain/operator/operator.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideAndProject } from '../support/decide-and-project.js';
import type { ChangeResult } from '../support/write-side.js';
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

@CommandHandler(IssueOperatorToken)
export class IssueOperatorTokenHandler implements ICommandHandler<IssueOperatorToken> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({
    operatorId,
    token: { label, validMs },
    metadata,
  }: IssueOperatorToken): Promise<IssuedToken> {
    const at = this.clock.now();
    const [tokenId, token] = [this.ids.random(), newPersonalToken()];
    const issued = {
      operatorId,
      tokenId,
      tokenHash: operatorSecretHash(token),
      label,
      expiresAt: at + validMs,
      at,
    };
    await decideAndProject(this.log, this.ids, this.store, {
      stream: streams.operator(operatorId),
      initial: noOperator,
      evolve: evolveOperator,
      decide: (operator) => issueToken(operator, issued),
      metadata,
    });
    return { tokenId, token, expiresAt: issued.expiresAt };
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

@CommandHandler(RevokeOperatorToken)
export class RevokeOperatorTokenHandler implements ICommandHandler<RevokeOperatorToken> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute({ operatorId, tokenId, metadata }: RevokeOperatorToken): Promise<ChangeResult> {
    return decideAndProject(this.log, this.ids, this.store, {
      stream: streams.operator(operatorId),
      initial: noOperator,
      evolve: evolveOperator,
      decide: (operator) => revokeToken(operator, { operatorId, tokenId, at: this.clock.now() }),
      metadata,
    });
  }
}
