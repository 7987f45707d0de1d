import { z } from 'zod';
import { LimitSharedToken } from '../../commands/network/network.js';
import {
  ChangeOperatorRoles,
  ConfirmOperator,
  ReinstateOperator,
  SuspendOperator,
} from '../../commands/operator/operators.js';
import {
  EnrollOperator,
  IssueOperatorToken,
  RevokeOperatorToken,
} from '../../commands/operator/operator-tokens.js';
import { InviteOperator } from '../../commands/operator/invite-operator.js';
import { mayConfirm } from '../../domain/four-eyes/handling.js';
import { HttpRefusal } from '../../server/errors.js';
import { act, Answer } from '../desk/act.js';
import type { ActContext } from '../desk/act.js';
import { enrollmentLink } from './enrollment-link.js';
import { operatorIdOf, ownIdOf } from '../desk/caller.js';
import type { Caller } from '../desk/caller.js';
import {
  confirmationApproval,
  invitationApproval,
  promotionApproval,
  reinstatementApproval,
} from './operator-approvals.js';
import { listedOperator, operatorsOf } from '../desk/operators.js';
import type { ActServices } from '../desk/services.js';
import {
  changed,
  enrollment,
  idIn,
  lifecycleChange,
  lifecycleChanged,
  listOf,
  newOperator,
  newToken,
  roleChange,
} from '../desk/schemas.js';
import { issuedInvitation, invitationPage } from './invitation.js';
import { operatorsPage } from './pages/operators.page.js';
import { secretPage } from './pages/secret.page.js';

const one = '/operator/operators/:id' as const;
const DAY_MS = 24 * 60 * 60_000;

const issuedToken = z.strictObject({ tokenId: z.string(), token: z.string(), expiresAt: z.number() });

export type IssuedToken = z.infer<typeof issuedToken>;

const isEstablished = async ({ fourEyes }: ActServices, caller: Caller): Promise<boolean> =>
  caller.kind !== 'operator' || fourEyes.isEstablished(caller.operatorId);

async function revokeToken(operatorId: string, { services, params, metadata }: ActContext) {
  const revocation = new RevokeOperatorToken(operatorId, idIn(params, 'tokenId'), metadata);
  const revoked = await services.commands.execute(revocation);
  await services.passkeyLinks.withdraw(operatorId);
  return revoked;
}

export const operatorActs = [
  act({
    name: 'operator.list',
    may: 'operators.read',
    route: 'GET /operator/operators',
    command: 'operator list',
    answer: listOf(listedOperator),
    page: operatorsPage,
    run: async (_input, { services: { store, fourEyes } }) => fourEyes.marked(await operatorsOf(store)),
  }),
  act({
    name: 'operator.invite',
    may: 'operators.invite',
    route: 'POST /operator/operators',
    command: 'operator invite',
    reason: 'optional',
    input: newOperator,
    answer: issuedInvitation,
    form: { page: invitationPage },
    duplicates: 'invitation',
    approval: invitationApproval,
    run: async ({ name, roles }, { services, caller, metadata, approvalId: operatorId }) => {
      const needsConfirmation =
        caller.kind === 'shared' ? caller.isLimited : !(await isEstablished(services, caller));
      const invitation = new InviteOperator({ operatorId, name, roles, needsConfirmation }, metadata);
      const invited = await services.commands.execute(invitation);
      return new Answer(201, { ...invited, link: enrollmentLink(services.config, invited.invitationCode) });
    },
  }),
  act({
    name: 'operator.enroll',
    may: 'invitation',
    route: 'POST /operator/enrollments',
    command: 'operator enroll',
    input: enrollment,
    answer: issuedToken.extend({ operatorId: z.string() }),
    run: async ({ invitationCode, label, validMs }, { services, metadata }) => {
      const enrolled = new EnrollOperator(invitationCode, { label, validMs }, metadata);
      return new Answer(201, await services.commands.execute(enrolled));
    },
  }),
  act({
    name: 'operator.confirm',
    may: 'operators.manage',
    route: `POST ${one}/confirm`,
    command: 'operator confirm',
    reason: 'optional',
    answer: changed,
    form: true,
    approval: confirmationApproval,
    run: async (_input, { services, caller, params, metadata }) => {
      const { fourEyes } = services;
      const confirming = { isEstablished: await isEstablished(services, caller) };
      if (!mayConfirm(confirming, (await fourEyes.established()).administrators))
        throw new HttpRefusal('not_owner', 'Another administrator must confirm you first.');
      const confirmation = { by: operatorIdOf(caller) ?? '', since: await fourEyes.since() };
      return services.commands.execute(new ConfirmOperator(idIn(params), confirmation, metadata));
    },
  }),
  act({
    name: 'operator.change_roles',
    may: 'operators.manage',
    endsOperator: true,
    route: `POST ${one}/roles`,
    command: 'operator roles',
    reason: 'required',
    input: roleChange,
    answer: lifecycleChanged,
    form: true,
    approval: promotionApproval,
    run: ({ roles, revision: lifecycle }, { services, params, metadata, isUncovered }) =>
      services.commands.execute(
        new ChangeOperatorRoles(idIn(params), metadata, { roles, lifecycle, mayRaise: !isUncovered }),
      ),
  }),
  act({
    name: 'operator.suspend',
    may: 'operators.manage',
    endsOperator: true,
    route: `POST ${one}/suspend`,
    command: 'operator suspend',
    reason: 'required',
    input: lifecycleChange,
    answer: lifecycleChanged,
    form: true,
    run: ({ revision: lifecycle }, { services, params, metadata }) =>
      services.commands.execute(new SuspendOperator(idIn(params), metadata, { lifecycle })),
  }),
  act({
    name: 'operator.reinstate',
    may: 'operators.manage',
    route: `POST ${one}/reinstate`,
    command: 'operator reinstate',
    reason: 'required',
    input: lifecycleChange,
    answer: lifecycleChanged,
    form: true,
    approval: reinstatementApproval,
    run: ({ revision: lifecycle }, { services, params, metadata, isUncovered }) =>
      services.commands.execute(
        new ReinstateOperator(idIn(params), metadata, { lifecycle, mayRaise: !isUncovered }),
      ),
  }),
  act({
    name: 'operator.revoke_token',
    may: 'operators.manage',
    endsOperator: true,
    route: `POST ${one}/tokens/:tokenId/revoke`,
    command: 'operator token revoke TOKEN --of OPERATOR',
    reason: 'required',
    answer: changed,
    form: true,
    run: (_input, context) => revokeToken(idIn(context.params), context),
  }),
  act({
    name: 'own.issue_token',
    may: 'self',
    route: 'POST /operator/own/tokens',
    command: 'operator token issue',
    reason: 'optional',
    input: newToken,
    answer: issuedToken,
    form: {
      input: (form) => ({ validMs: (form.number('days') ?? 90) * DAY_MS }),
      page: (frame, { token, expiresAt }) =>
        secretPage(frame, {
          title: 'Your new token',
          secret: token,
          expiresAt,
          advice: 'Set OPERATOR_TOKEN to it for the command line.',
          to: '/console/own',
        }),
    },
    duplicates: 'token',
    run: async ({ label, validMs }, { services, caller, metadata }) => {
      const issued = new IssueOperatorToken(ownIdOf(caller), { label, validMs }, metadata);
      return new Answer(201, await services.commands.execute(issued));
    },
  }),
  act({
    name: 'own.revoke_token',
    may: 'self',
    route: 'POST /operator/own/tokens/:tokenId/revoke',
    command: 'operator token revoke TOKEN',
    reason: 'optional',
    answer: changed,
    form: true,
    run: (_input, context) => revokeToken(ownIdOf(context.caller), context),
  }),
  act({
    name: 'shared_token.limit',
    may: 'operators.manage',
    route: 'POST /operator/shared-token/limit',
    command: 'operator limit-shared-token',
    reason: 'optional',
    answer: changed,
    form: { to: () => '/console/operators' },
    run: (_input, { services, metadata }) => services.commands.execute(new LimitSharedToken(metadata)),
  }),
];
