import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { OperatorInvited } from '../../domain/operator/events.js';
import { evolveOperator, inviteOperator, noOperator } from '../../domain/operator/operator.js';
import type { Invitation } from '../../domain/operator/operator.js';
import type { Role } from '../../domain/operator/roles.js';
import { Refusal } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideAndProject } from '../support/decide-and-project.js';
import { OperatorNames } from './operator-names.js';
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
 * @throws {Refusal} `invalid_text`; `intent_conflict`: the given id is invited already, or another operator has the name;
 * errors of log and store.
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
    private readonly names: OperatorNames,
  ) {}

  async execute({ operator, metadata }: InviteOperator): Promise<InvitedOperator> {
    const at = this.clock.now();
    const invitationCode = newInvitationCode();
    const invitationHash = operatorSecretHash(invitationCode);
    const expiresAt = at + INVITATION_MS;
    const invitation = { ...operator, invitationHash, expiresAt, at };
    const operatorId = await this.reserveName(invitation, metadata);
    await decideAndProject(this.log, this.ids, this.store, {
      stream: streams.operator(operatorId),
      initial: noOperator,
      evolve: evolveOperator,
      decide: (state) => inviteOperator(state, { ...invitation, operatorId }),
      metadata,
    });
    return { operatorId, invitationCode, expiresAt };
  }

  private async reserveName(
    { operatorId: given, ...invitation }: Omit<Invitation, 'operatorId'> & Pick<NewOperator, 'operatorId'>,
    metadata: EventMetadata,
  ): Promise<string> {
    const operatorId = given ?? this.ids.random();
    const invited = inviteOperator(noOperator, { ...invitation, operatorId });
    if (invited instanceof Refusal) throw invited;
    const [{ data }] = invited as [OperatorInvited];
    const wanted = { operatorId, revision: -1, mayFinish: given === undefined };
    return this.names.reserve(data.name, wanted, metadata);
  }
}
