import type { Pool } from 'pg';
import type { Config } from '../../base/config/config.js';
import { mailDelivery } from '../../base/config/mail-settings.js';
import { NotReady } from './health.js';

const LATE_MS = 5 * 60_000;

/** Rejects if the network sends no mail, or if mails wait. `now`: Unix milliseconds. */
export async function checkMail(
  pool: Pool,
  config: Pick<Config, 'smtpUrl' | 'baseUrl'>,
  now: number,
): Promise<void> {
  if (mailDelivery(config) === 'none')
    throw new NotReady('This network sends no mail, so a lost password is lost: set SMTP_URL and MAIL_FROM.');
  const { rowCount } = await pool.query(
    'SELECT FROM authority.mail_request WHERE requested_at < $1 LIMIT 1',
    [now - LATE_MS],
  );
  if (rowCount)
    throw new NotReady('Mails wait: the log of the API has the fault of the SMTP server ("mail not sent").');
}
