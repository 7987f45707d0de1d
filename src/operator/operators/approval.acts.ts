import { z } from 'zod';
import { HttpRefusal } from '../../server/errors.js';
import { findApproval, listedApproval, newestApprovals } from '../desk/approvals/listed.js';
import { act } from '../desk/act.js';
import { changed, idIn, listOf } from '../desk/schemas.js';
import { recoveryLinkPage } from '../people/pages/recovery-link.page.js';
import { madeLink } from '../people/made-link.js';
import { shownApproval, withEvidence } from './approval-evidence.js';
import { approvalPage } from './pages/approval.page.js';
import { approvalsPage } from './pages/approvals.page.js';
import { issuedInvitation, invitationPage } from './invitation.js';

const one = '/operator/approvals/:id' as const;
const digest = z.string().regex(/^[0-9a-f]{64}$/, 'must be the digest of the request');

export const approvalActs = [
  act({
    name: 'approval.list',
    may: 'approvals.read',
    route: 'GET /operator/approvals',
    command: 'approval list',
    answer: listOf(listedApproval),
    page: approvalsPage,
    run: (_input, { services: { store, clock }, desk }) => newestApprovals(store, desk.wordsOf, clock.now()),
  }),
  act({
    name: 'approval.read',
    may: 'approvals.read',
    route: `GET ${one}`,
    command: 'approval show',
    answer: shownApproval,
    page: approvalPage,
    run: async (_input, { services, params, desk }) => {
      const { store, clock } = services;
      const found = await findApproval(store, desk.wordsOf, idIn(params), clock.now());
      if (!found) throw new HttpRefusal('not_found', 'There is no such request.');
      return withEvidence(services, found);
    },
  }),
  act({
    name: 'approval.give',
    may: 'approvals.decide',
    isPersonal: true,
    route: `POST ${one}/approve`,
    command: 'approval approve',
    reason: 'optional',
    input: z.strictObject({ digest }),
    answer: changed,
    form: true,
    run: (input, context) => context.desk.give(idIn(context.params), input.digest, context),
  }),
  act({
    name: 'approval.refuse',
    may: 'approvals.decide',
    isPersonal: true,
    route: `POST ${one}/refuse`,
    command: 'approval refuse',
    reason: 'required',
    answer: changed,
    form: true,
    run: (_input, context) => context.desk.refuse(idIn(context.params), context),
  }),
  // The desk checks the permission that the approved act needs.
  act({
    name: 'approval.carry_out',
    may: 'self',
    route: `POST ${one}/run`,
    command: 'approval run',
    answer: z.strictObject({
      approvalId: z.string(),
      act: z.string(),
      asks: z.string(),
      result: z.unknown(),
    }),
    form: {
      page: (frame, { result }) => {
        const invited = issuedInvitation.safeParse(result).data;
        if (invited) return invitationPage(frame, invited);
        const made = madeLink.safeParse(result).data;
        return made && recoveryLinkPage(frame, made);
      },
    },
    run: (_input, context) => context.desk.carryOut(idIn(context.params), context),
  }),
];
