import { z } from 'zod';
import { inParallel } from '../../base/support/in-parallel.js';
import { CreateAccount } from '../../commands/account/create-account.js';
import { EraseAccount } from '../../commands/account/erase-account.js';
import {
  CancelErasure,
  ReinstateAccount,
  RequestErasure,
  SuspendAccount,
} from '../../commands/account/accounts.js';
import { pendingRewrites } from '../../background/erasure/pending-rewrites.js';
import { HttpRefusal } from '../../server/errors.js';
import { streams } from '../../log/streams.js';
import { aboutOne } from '../desk/approvals/words.js';
import { ABOVE_ALLOWANCE, act, Answer } from '../desk/act.js';
import type { ApprovalRule } from '../desk/act.js';
import type { ActServices } from '../desk/services.js';
import {
  erasure,
  identifier,
  idIn,
  lifecycleChange,
  lifecycleChanged,
  listOf,
  newAccount,
} from '../desk/schemas.js';
import { aboutFirst, firstItems } from './batch-words.js';

const one = '/operator/accounts/:id' as const;

const pending = listOf(
  z.strictObject({
    store: z.string(),
    table: z.string(),
    state: z.enum(['rewrite', 'large', 'checkpoint']),
    seconds: z.number(),
  }),
);
const largeTablesAt = z.union([z.number(), z.literal('off')]);

/** `pending` and `largeTablesAt`: of an erasure at once; an hour in UTC. */
const erased = lifecycleChanged.extend({
  erasesAt: z.number().optional(),
  pending: pending.optional(),
  largeTablesAt: largeTablesAt.optional(),
});

export type Erased = z.infer<typeof erased>;

/** Accounts that one act erases, which answers when all are erased. */
const MOST_ERASED = 100;
const ERASED_AT_ONCE = 8;

const erasures = z.strictObject({
  actorIds: z
    .array(z.string().regex(identifier, 'must be an identifier of the network'))
    .min(1, 'at least one')
    .max(MOST_ERASED, `at most ${MOST_ERASED}`),
});

/** Returns those that are not erased. @throws {HttpRefusal} `not_found` */
async function notErased(actorIds: readonly string[], { store }: ActServices): Promise<readonly string[]> {
  const found = await store.rows<{ actor_id: string; state: string }>(
    {
      name: 'accounts.to-erase',
      text: 'SELECT actor_id, state FROM authority.account WHERE actor_id = ANY ($1) ORDER BY actor_id COLLATE "C"',
    },
    [actorIds],
  );
  const unknown = actorIds.find((id) => !found.some(({ actor_id: known }) => known === id));
  if (unknown !== undefined)
    throw new HttpRefusal('not_found', `There is no account ${unknown}; none is erased.`);
  return found.filter(({ state }) => state !== 'erased').map(({ actor_id: id }) => id);
}

async function stateOf(params: Readonly<Record<string, string>>, { store }: ActServices) {
  const actorId = idIn(params);
  const [account] = await store.rows<{ state: string }>(
    { name: 'account.state', text: 'SELECT state FROM authority.account WHERE actor_id = $1' },
    [actorId],
  );
  if (!account) throw new HttpRefusal('not_found', 'There is no such account.');
  return { actorId, state: account.state };
}

const streamOf = (params: Readonly<Record<string, string>>): string => streams.account(idIn(params));

const erasureApproval: ApprovalRule<z.output<typeof erasure>> = {
  when: 'always',
  words: ({ 'erased for good': time = 'then' }) => ({
    asks: 'Erase an account',
    does: `The account and every text of its person are erased for good, ${String(time)}. Nothing brings them back.`,
    about: aboutOne('accounts', 'account'),
  }),
  preview: async ({ delayMs }, { services, params }) => {
    const { actorId, state } = await stateOf(params, services);
    // A repetition finishes what a failure left.
    if (state === 'erased') return undefined;
    const time = delayMs === 0 ? 'at once' : `${delayMs / 1_000} seconds after the approval is used`;
    return { facts: { account: actorId, state, 'erased for good': time } };
  },
  streamOf,
};

const erasuresApproval: ApprovalRule<z.output<typeof erasures>> = {
  when: 'always',
  words: (facts) => {
    const count = Number(facts['accounts'] ?? 0);
    return {
      asks: `Erase ${count} ${count === 1 ? 'account' : 'accounts'}`,
      does: 'The accounts and every text of their people are erased for good, at once. Nothing brings them back.',
      about: aboutFirst('accounts', facts, count),
    };
  },
  preview: async (input, { services }) => {
    const items = await notErased(input.actorIds, services);
    // A repetition finishes what a failure left.
    return items.length === 0
      ? undefined
      : { facts: { accounts: items.length, ...firstItems(items) }, input: { ...input, actorIds: items } };
  },
  // Once the approval is used, a second run finishes the first one.
  streamOf: (_params, approvalId) => streams.approval(approvalId),
  isRepeatable: true,
};

const suspensionApproval: ApprovalRule<unknown> = {
  when: ABOVE_ALLOWANCE,
  words: () => ({
    asks: 'Suspend an account',
    does: 'Its person can do nothing any more, and nobody sees their profile and posts, until an operator reinstates them.',
    about: aboutOne('accounts', 'suspends'),
  }),
  restricts: () => Promise.resolve(1),
  preview: async (_input, { services, params }) => {
    const { actorId, state } = await stateOf(params, services);
    return { facts: { suspends: actorId, state } };
  },
  streamOf,
};

export const accountActs = [
  act({
    name: 'account.create',
    may: 'accounts.create',
    route: 'POST /operator/accounts',
    command: 'account create',
    reason: 'optional',
    input: newAccount,
    answer: z.strictObject({ actorId: z.string() }),
    run: async (
      { handle, displayName, email, password },
      { services, metadata, idempotencyKey: clientKey },
    ) => {
      const passwordHash = await services.passwords.hash(password);
      // Without a client-sent key, the same handle and email identify the retry of an unfinished registration. After an
      // erasure of that account they start a new one.
      const idempotencyKey = JSON.stringify(['operator', clientKey ?? [handle, email]]);
      const recreateOnceErased = clientKey === undefined;
      const account = { handle, displayName, email, passwordHash, idempotencyKey, recreateOnceErased };
      const { actorId, created } = await services.commands.execute(new CreateAccount(account, metadata));
      if (!created && clientKey === undefined)
        throw new HttpRefusal(
          'intent_conflict',
          'This account exists already; its password was not changed.',
        );
      return new Answer(201, { actorId });
    },
  }),
  act({
    name: 'account.suspend',
    may: 'accounts.restrict',
    route: `POST ${one}/suspend`,
    command: 'account suspend',
    reason: 'required',
    input: lifecycleChange,
    answer: lifecycleChanged,
    form: true,
    approval: suspensionApproval,
    run: ({ revision: lifecycle }, { services, params, metadata }) =>
      services.commands.execute(new SuspendAccount(idIn(params), metadata, { lifecycle })),
  }),
  act({
    name: 'account.reinstate',
    may: 'accounts.restrict',
    route: `POST ${one}/reinstate`,
    command: 'account reinstate',
    reason: 'required',
    input: lifecycleChange,
    answer: lifecycleChanged,
    form: true,
    run: ({ revision: lifecycle }, { services, params, metadata }) =>
      services.commands.execute(new ReinstateAccount(idIn(params), metadata, { lifecycle })),
  }),
  act({
    name: 'account.erase',
    may: 'accounts.erase',
    route: `POST ${one}/erase`,
    command: 'account erase',
    reason: 'required',
    input: erasure,
    answer: erased,
    approval: erasureApproval,
    run: async ({ revision: lifecycle, delayMs }, { services, params, metadata }) => {
      const { commands, pool, config } = services;
      const actorId = idIn(params);
      if (delayMs > 0) return commands.execute(new RequestErasure(actorId, delayMs, metadata, { lifecycle }));
      const change = await commands.execute(new EraseAccount(actorId, metadata, { lifecycle }));
      return { ...change, pending: await pendingRewrites(pool), largeTablesAt: config.erasureRewriteHour };
    },
  }),
  act({
    name: 'account.erase_many',
    may: 'accounts.erase',
    route: 'POST /operator/accounts/erase',
    reason: 'required',
    input: erasures,
    answer: z.strictObject({ erased: z.number(), pending, largeTablesAt }),
    approval: erasuresApproval,
    run: async ({ actorIds }, { services, metadata }) => {
      const { commands, pool, config } = services;
      const items = await notErased(actorIds, services);
      await inParallel([...new Set(actorIds)], ERASED_AT_ONCE, async (actorId) => {
        await commands.execute(new EraseAccount(actorId, metadata));
      });
      return {
        erased: items.length,
        pending: await pendingRewrites(pool),
        largeTablesAt: config.erasureRewriteHour,
      };
    },
  }),
  act({
    name: 'account.cancel_erasure',
    may: 'accounts.erase',
    route: `POST ${one}/cancel-erasure`,
    command: 'account cancel-erasure',
    reason: 'required',
    answer: lifecycleChanged,
    run: (_input, { services, params, metadata }) =>
      services.commands.execute(new CancelErasure(idIn(params), metadata)),
  }),
];
