import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
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
import { AddressLinks } from '../../commands/account/address-links.js';
import { Addresses } from '../../commands/account/addresses.js';
import { RecoveryLinks } from '../../commands/account/recovery-links.js';
import { MailRequests } from '../../commands/mail/mail-requests.js';
import { addressActions } from '../../doors/auth/account/address.pages.js';
import { recoveryActions } from '../../doors/auth/recovery/recovery.pages.js';
import { NetworkSecrets } from '../../log/vault/network-secrets.js';
import { SharedWindow } from '../../server/limits/shared-window.js';

/** The task that sends the mails of a network; undefined: the network sends none. */
export async function outgoingMail(
  app: Pick<NestFastifyApplication, 'get'>,
  options: ExclusiveTaskOptions,
): Promise<OutgoingMail | undefined> {
  const config = app.get(Config);
  const delivery = mailDelivery(config);
  if (delivery === 'none') return undefined;
  const files =
    delivery === 'files'
      ? new MailFiles(join(config.dataDir, 'mail'), app.get(Clock), options.logger)
      : undefined;
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
    addressLinks: app.get(AddressLinks),
    limits: { mailbox: take('mailbox'), account: take('account'), recovery: take('recovery') },
    pages: {
      recovery: `${config.baseUrl}${recoveryActions.link}`,
      confirmation: `${config.baseUrl}${addressActions.confirm}`,
    },
    contact: config.operatorContact,
  });
  return new OutgoingMail({
    ...options,
    requests: app.get(MailRequests),
    composer,
    transport: files ?? new SmtpMail(config),
    files,
    store: app.get(AuthorityStore),
  });
}
