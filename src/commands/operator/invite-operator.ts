import { Command } from '@nestjs/cqrs';
import type { OperatorInvited } from '../../domain/operator/events.js';
import { inviteOperator, noOperator } from '../../domain/operator/operator.js';
import type { Role } from '../../domain/operator/roles.js';
import { Refusal } from '../../domain/refusal.js';
import type { EventMetadata } from '../../log/recorded.js';
import { aggregates } from '../support/aggregates.js';
import { handles } from '../support/handles.js';
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

export const inviteOperatorHandler = handles(
  InviteOperator,
  { names: OperatorNames },
  async ({ operator, metadata }, write, { names }) => {
    const at = write.now();
    const invitationCode = newInvitationCode();
    const invitationHash = operatorSecretHash(invitationCode);
    const expiresAt = at + INVITATION_MS;
    const wantedId = operator.operatorId ?? write.ids.random();
    const invitation = { ...operator, operatorId: wantedId, invitationHash, expiresAt, at };
    const invited = inviteOperator(noOperator, invitation);
    if (invited instanceof Refusal) throw invited;
    const [{ data }] = invited as [OperatorInvited];
    const wanted = { operatorId: wantedId, revision: -1, mayFinish: operator.operatorId === undefined };
    const operatorId = await names.reserve(data.name, wanted, metadata);
    await write.project(aggregates.operator(operatorId), metadata, (state) =>
      inviteOperator(state, { ...invitation, operatorId }),
    );
    return { operatorId, invitationCode, expiresAt };
  },
);
