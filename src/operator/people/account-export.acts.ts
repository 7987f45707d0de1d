import { Readable } from 'node:stream';
import { z } from 'zod';
import { BeginAccountExport, begunExport } from '../../commands/account/export-account.js';
import { mailDelivery } from '../../base/config/mail-settings.js';
import { CredentialRow } from '../../base/store/authority/credential.row.js';
import { needsStepAfterRecovery } from '../../domain/account/factors.js';
import { AUDIT_BEHIND } from '../../doors/auth/own-data/data-files.js';
import { ACCOUNT_PATH } from '../../doors/auth/settings.js';
import { HttpRefusal } from '../../server/errors.js';
import { newestEventOf } from '../../commands/support/handle-command.js';
import { streams } from '../../log/streams.js';
import { act, Answer } from '../desk/act.js';
import type { ActContext, ApprovalRule } from '../desk/act.js';
import { aboutOne } from '../desk/approvals/words.js';
import { operatorIdOf } from '../desk/caller.js';
import { idIn } from '../desk/schemas.js';
import type { ActServices } from '../desk/services.js';
import { livingAccountIn } from './living-account.js';

const one = '/operator/accounts/:id' as const;
/** A person who signed in within this time can do so again. */
const SIGNED_IN_MS = 30 * 24 * 60 * 60_000;

/** @throws {HttpRefusal} `not_found`; `intent_conflict`: the person can download it themselves. */
async function exportable(services: ActServices, params: ActContext['params']) {
  const account = await livingAccountIn(params, services);
  if (!(await canSignIn(services, account.actorId))) return account;
  throw new HttpRefusal(
    'intent_conflict',
    `This person can sign in, also while suspended, and download it at ${services.config.baseUrl}${ACCOUNT_PATH}. If they lost the password, and no mail helps, make a link (plaza account recovery-link).`,
  );
}

/** With a password, and either a sign-in of the last 30 days, or a confirmed address, whose mails open the account. */
async function canSignIn(
  { addresses, config, log, clock, store }: ActServices,
  actorId: string,
): Promise<boolean> {
  const holder = await addresses.holder(actorId);
  if (!holder) return false;
  const { factors } = await store.db.findOneByOrFail(CredentialRow, { actorId });
  if (holder.isVerified && mailDelivery(config) !== 'none' && !needsStepAfterRecovery(factors, clock.now()))
    return true;
  const [newest] = await newestEventOf(log, streams.signIns(actorId));
  return newest !== undefined && newest.event.data.at + SIGNED_IN_MS > clock.now();
}

const exportApproval: ApprovalRule<unknown> = {
  when: 'always',
  words: () => ({
    asks: 'Export the data of a person',
    does: 'Who requests it can have every text of this person sent, for an hour. The account page says so for good.',
    about: aboutOne('accounts', 'account'),
  }),
  preview: async (_input, { services, params }) => {
    const { actorId, state } = await exportable(services, params);
    return { facts: { account: actorId, state } };
  },
  streamOf: (params) => streams.accountExports(idIn(params)),
  isRepeatable: true,
};

export const accountExportActs = [
  act({
    name: 'account.export',
    may: 'texts.disclose',
    route: `POST ${one}/exports`,
    command: 'account export',
    reason: 'required',
    answer: z.strictObject({ actorId: z.string(), exportId: z.string() }),
    approval: exportApproval,
    run: async (_input, { services, params, metadata, approvalId }) => {
      const { actorId } = await exportable(services, params);
      if (!(await services.dataFiles.isReady(actorId)))
        throw new HttpRefusal('protected_read_unavailable', `${AUDIT_BEHIND} Try again in a few minutes.`);
      const begin = new BeginAccountExport(actorId, approvalId, metadata);
      return new Answer(201, { actorId, exportId: await services.commands.execute(begin) });
    },
  }),
  act({
    name: 'account.read_export',
    may: 'texts.disclose',
    route: `GET ${one}/exports/:exportId`,
    answer: z.instanceof(Readable).describe('lines of JSON, and a signed note'),
    run: async (_input, { services, params, caller }) => {
      const { actorId } = await livingAccountIn(params, services);
      const begun = await begunExport(services.log, actorId, {
        exportId: idIn(params, 'exportId'),
        operatorId: operatorIdOf(caller) ?? '',
        now: services.clock.now(),
      });
      if (!begun)
        throw new HttpRefusal(
          'not_found',
          'You began no such export within the last hour. Begin another one.',
        );
      const slot = await services.downloadSlots.take(actorId);
      if (typeof slot === 'string') throw new HttpRefusal('protected_read_unavailable', slot);
      const lines = services.dataFiles.lines(actorId, begun, slot);
      return new Answer(200, lines, 'application/jsonl; charset=utf-8');
    },
  }),
];
