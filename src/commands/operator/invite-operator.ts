import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveOperator, inviteOperator, noOperator } from '../../domain/operator/operator.js';
import type { Role } from '../../domain/operator/roles.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../store/authority/authority-store.js';
import { Clock } from '../support/clock.js';
import { IdGenerator } from '../support/id-generator.js';
import { decideAndProject } from '../support/decide-and-project.js';
import { newInvitationCode, operatorSecretHash } from './secrets.js';

const INVITATION_MS = 7 * 24 * 60 * 60_000;

/** `operatorId`: chosen by an earlier request, which invites nobody twice. Undefined: a new one. */
export interface NewOperator {
  readonly operatorId?: string | undefined;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly needsConfirmation: boolean;
}

/** The code is returned once; only its hash is stored. `expiresAt`: Unix milliseconds. */
export interface InvitedOperator {
  readonly operatorId: string;
  readonly invitationCode: string;
  readonly expiresAt: number;
}

/**
 * Not idempotent.
 * @throws {Refusal} `invalid_text`; `intent_conflict`: the given id is invited already; errors of log and store.
 */
export class InviteOperator extends Command<InvitedOperator> {
  constructor(
    readonly operator: NewOperator,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(InviteOperator)
export class InviteOperatorHandler implements ICommandHandler<InviteOperator> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ operator, metadata }: InviteOperator): Promise<InvitedOperator> {
    const at = this.clock.now();
    const operatorId = operator.operatorId ?? this.ids.random();
    const invitationCode = newInvitationCode();
    const invitationHash = operatorSecretHash(invitationCode);
    const expiresAt = at + INVITATION_MS;
    await decideAndProject(this.log, this.ids, this.store, {
      stream: streams.operator(operatorId),
      initial: noOperator,
      evolve: evolveOperator,
      decide: (state) => inviteOperator(state, { ...operator, operatorId, invitationHash, expiresAt, at }),
      metadata,
    });
    return { operatorId, invitationCode, expiresAt };
  }
}
