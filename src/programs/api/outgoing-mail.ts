import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { MailFileCleanup } from '../../background/mail/mail-file-cleanup.js';
import { OutgoingMail } from '../../background/mail/outgoing-mail.js';
import { Composer } from '../../background/mail/composer.js';
import type { ExclusiveTaskOptions } from '../../background/exclusive-task.js';
import { Config } from '../../base/config/config.js';
import { limits } from '../../base/config/limit-settings.js';
import { mailDelivery } from '../../base/config/mail-settings.js';
import { MailFiles } from '../../base/mail/mail-files.js';
import { SmtpMail } from '../../base/mail/smtp-mail.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Postgres } from '../../base/store/postgres.js';
import { Clock } from '../../base/support/clock.js';
import type { PeriodicTask } from '../../base/support/periodic-task.js';
import { AddressLinks } from '../../commands/account/address-links.js';
import { Addresses } from '../../commands/account/addresses.js';
import { OperatorLinks } from '../../commands/account/operator-links.js';
import { RecoveryLinks } from '../../commands/account/recovery-links.js';
import { MailRequests } from '../../commands/mail/mail-requests.js';
import { addressActions } from '../../doors/auth/account/address.pages.js';
import { recoveryActions } from '../../doors/auth/recovery/recovery.pages.js';
import { NetworkSecrets } from '../../log/vault/network-secrets.js';
import { SharedWindow } from '../../server/limits/shared-window.js';

/** The tasks that send the mails of a network, if it sends any, and remove those that are files. */
export async function mailTasks(
  app: Pick<NestFastifyApplication, 'get'>,
  options: ExclusiveTaskOptions,
): Promise<readonly PeriodicTask[]> {
  const config = app.get(Config);
  const files = new MailFiles(join(config.dataDir, 'mail'), app.get(Clock), options.logger);
  const cleanup = new MailFileCleanup(files, app.get(AuthorityStore), options.logger);
  const delivery = mailDelivery(config);
  if (delivery === 'none') return [cleanup];
  const secret = await app.get(NetworkSecrets).get('limit-keys', () => randomBytes(32));
  const take = (name: 'mailbox' | 'account' | 'recovery') => {
    const { pool } = app.get(Postgres);
    const window = new SharedWindow({
      pool,
      secret,
      name: `mail:${name}`,
      limit: limits.mail[name],
      isFinal: true,
    });
    return async (who: string) => config.rateLimits === 'off' || (await window.consume(who)).granted > 0;
  };
  const composer = new Composer({
    addresses: app.get(Addresses),
    recoveryLinks: app.get(RecoveryLinks),
    operatorLinks: app.get(OperatorLinks),
    addressLinks: app.get(AddressLinks),
    limits: { mailbox: take('mailbox'), account: take('account'), recovery: take('recovery') },
    pages: {
      recovery: `${config.baseUrl}${recoveryActions.link}`,
      ending: `${config.baseUrl}${recoveryActions.end}`,
      confirmation: `${config.baseUrl}${addressActions.confirm}`,
    },
    contact: config.operatorContact,
  });
  const outgoing = new OutgoingMail({
    ...options,
    requests: app.get(MailRequests),
    composer,
    transport: delivery === 'files' ? files : new SmtpMail(config),
  });
  return [cleanup, outgoing];
}
