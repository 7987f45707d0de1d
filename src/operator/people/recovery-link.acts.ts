import { z } from 'zod';
import { EndRecoveryLink, MakeRecoveryLink } from '../../commands/account/operator-recovery.js';
import { recoveryActions } from '../../doors/auth/recovery/recovery.pages.js';
import { HttpRefusal } from '../../server/errors.js';
import { streams } from '../../log/streams.js';
import { act, Answer } from '../desk/act.js';
import type { ActContext, ApprovalRule } from '../desk/act.js';
import { aboutOne } from '../desk/approvals/words.js';
import { changed, idIn } from '../desk/schemas.js';
import type { ActServices } from '../desk/services.js';
import { recoveryLinkPage } from './pages/recovery-link.page.js';

const one = '/operator/accounts/:id' as const;

/** `told`: addresses that get a mail. Times are Unix milliseconds. */
export const madeLink = z.strictObject({
  linkId: z.string(),
  link: z.string(),
  worksFrom: z.number(),
  worksUntil: z.number(),
  told: z.number(),
});

export type MadeLink = z.infer<typeof madeLink>;

type Params = ActContext['params'];

/** @throws {HttpRefusal} `not_found`: there is no such account, or it is erased. */
async function accountIn(params: Params, { store }: Pick<ActServices, 'store'>) {
  const actorId = idIn(params);
  const [account] = await store.rows<{ state: string }>(
    {
      name: 'account.living',
      text: `SELECT state FROM authority.account WHERE actor_id = $1 AND state <> 'erased'`,
    },
    [actorId],
  );
  if (!account) throw new HttpRefusal('not_found', 'There is no such account, or it is erased.');
  return { actorId, state: account.state };
}

const linkApproval: ApprovalRule<unknown> = {
  when: 'always',
  words: () => ({
    asks: 'Make a link that sets a new password',
    does: 'Who requests it gets a link, once. It sets a new password for the account, from 24 hours later and for 24 hours. Its person is told, and can end it.',
    about: aboutOne('accounts', 'account'),
  }),
  preview: async (_input, { services, params }) => {
    const { actorId, state } = await accountIn(params, services);
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
      const { actorId } = await accountIn(params, services);
      const { token, ...made } = await services.commands.execute(new MakeRecoveryLink(actorId, metadata));
      return new Answer(201, {
        ...made,
        link: `${services.config.baseUrl}${recoveryActions.link}?token=${token}`,
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
      const { actorId } = await accountIn(params, services);
      return services.commands.execute(new EndRecoveryLink(actorId, metadata));
    },
  }),
];
