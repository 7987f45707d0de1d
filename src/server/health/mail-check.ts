import type { Pool } from 'pg';
import type { Config } from '../../base/config/config.js';
import { mailDelivery } from '../../base/config/mail-settings.js';
import { NotReady } from './health.js';
import type { Readiness } from './health.js';

const LATE_MS = 5 * 60_000;

/** Throws if the network sends no mail. */
export function checkMail(config: Pick<Config, 'smtpUrl' | 'baseUrl'>): void {
  if (mailDelivery(config) === 'none')
    throw new NotReady('This network sends no mail, so a lost password is lost: set SMTP_URL and MAIL_FROM.');
}

/**
 * The readiness, with mail as failed if mails wait. For operators alone: with a server that fails, a request waits if its
 * address is known, so anybody could try addresses. `now`: Unix milliseconds.
 */
export async function withWaitingMails(readiness: Readiness, pool: Pool, now: number): Promise<Readiness> {
  const { rowCount } = await pool.query(
    'SELECT FROM authority.mail_request WHERE requested_at < $1 LIMIT 1',
    [now - LATE_MS],
  );
  if (!rowCount) return readiness;
  const reason = 'Mails wait: the log of the API has the fault (“mail not sent”).';
  return { ...readiness, components: { ...readiness.components, mail: { status: 'failed', reason } } };
}
