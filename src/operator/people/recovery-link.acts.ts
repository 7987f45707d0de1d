import { EndRecoveryLink, MakeRecoveryLink } from '../../commands/account/operator-recovery.js';
import { mailDelivery } from '../../base/config/mail-settings.js';
import { recoveryActions } from '../../doors/auth/recovery/recovery.pages.js';
import { streams } from '../../log/streams.js';
import { act, Answer } from '../desk/act.js';
import type { ApprovalRule } from '../desk/act.js';
import { aboutOne } from '../desk/approvals/words.js';
import { changed, idIn } from '../desk/schemas.js';
import { livingAccountIn } from './living-account.js';
import { madeLink } from './made-link.js';
import { recoveryLinkPage } from './pages/recovery-link.page.js';

const one = '/operator/accounts/:id' as const;

export const linkApproval: ApprovalRule<unknown> = {
  when: 'always',
  words: () => ({
    asks: 'Make a link that sets a new password',
    does: 'Who requests it gets a link, once. It sets a new password for the account, from 24 hours later and for 24 hours. Its person is told, and can end it.',
    about: aboutOne('accounts', 'account'),
  }),
  preview: async (_input, { services, params }) => {
    const { actorId, state } = await livingAccountIn(params, services);
    return { facts: { account: actorId, state } };
  },
  streamOf: (params) => streams.recoveryLinks(idIn(params)),
};

export const recoveryLinkActs = [
  act({
    name: 'account.make_recovery_link',
    may: 'accounts.recover',
    route: `POST ${one}/recovery-link`,
    command: 'account recovery-link',
    reason: 'required',
    answer: madeLink,
    form: { page: recoveryLinkPage },
    approval: linkApproval,
    run: async (_input, { services, params, metadata }) => {
      const { actorId } = await livingAccountIn(params, services);
      const { config, commands } = services;
      const { token, told, ...made } = await commands.execute(new MakeRecoveryLink(actorId, metadata));
      return new Answer(201, {
        ...made,
        told: mailDelivery(config) === 'none' ? 0 : told,
        link: `${config.baseUrl}${recoveryActions.link}?token=${token}`,
      });
    },
  }),
  act({
    name: 'account.end_recovery_link',
    may: 'accounts.end_recovery',
    route: `POST ${one}/end-recovery-link`,
    command: 'account end-recovery-link',
    reason: 'required',
    answer: changed,
    form: true,
    run: async (_input, { services, params, metadata }) => {
      const { actorId } = await livingAccountIn(params, services);
      return services.commands.execute(new EndRecoveryLink(actorId, metadata));
    },
  }),
];
