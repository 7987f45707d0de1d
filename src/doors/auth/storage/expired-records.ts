import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Clock } from '../../../base/support/clock.js';
import { KNOWN_BROWSER_MS } from './known-browsers.js';
import { WRONG_PASSWORD_DAYS } from './wrong-passwords.js';
import { MAIL_REQUEST_MS } from '../../../commands/mail/mail-requests.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { isUnreachable } from '../../../base/store/unreachable.js';

const INTERVAL_MS = 60_000;
const BATCH = 500;
const CLOCK_DIFFERENCE_MS = 60_000;
const SIGNS_MS = 24 * 60 * 60_000;

const expired = [
  `DELETE FROM authority.oidc_record WHERE (kind, key_hash) IN (
     SELECT kind, key_hash FROM authority.oidc_record WHERE expires_at < to_timestamp($1::double precision / 1000)
     ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  `DELETE FROM limits.used WHERE key IN (
     SELECT key FROM limits.used WHERE expire < $1::bigint
     ORDER BY expire LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  `DELETE FROM authority.operator_challenge WHERE challenge IN (
     SELECT challenge FROM authority.operator_challenge WHERE expires_at < $1::bigint
     ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  `DELETE FROM authority.operator_passkey_link WHERE code_hash IN (
     SELECT code_hash FROM authority.operator_passkey_link WHERE expires_at < $1::bigint
     ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  `DELETE FROM authority.operator_session WHERE session_hash IN (
     SELECT session_hash FROM authority.operator_session WHERE expires_at < $1::bigint
     ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  `DELETE FROM authority.known_browser WHERE browser_hash IN (
     SELECT browser_hash FROM authority.known_browser WHERE signed_in_at < $1::bigint - ${KNOWN_BROWSER_MS}
     ORDER BY signed_in_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  `DELETE FROM authority.wrong_password WHERE (actor_id, day) IN (
     SELECT actor_id, day FROM authority.wrong_password
     WHERE day <= to_timestamp($1::double precision / 1000)::date - ${WRONG_PASSWORD_DAYS}
     ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  `DELETE FROM authority.mail_request WHERE request_id IN (
     SELECT request_id FROM authority.mail_request WHERE requested_at < $1::bigint - ${MAIL_REQUEST_MS}
     ORDER BY requested_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  `DELETE FROM authority.recovery_link WHERE token_hash IN (
     SELECT token_hash FROM authority.recovery_link WHERE expires_at < $1::bigint
     ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  // A claim without a row counts from its beginning, so it stays idle; the queue then reads its stream, so few are without.
  `DELETE FROM cases.activity WHERE case_id IN (
     SELECT case_id FROM cases.activity WHERE active_at < $1::bigint - ${SIGNS_MS}
     ORDER BY active_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
];

/**
 * Deletes expired tokens, codes, sessions and interactions, operators' too, the used quota of ended limit
 * windows, the signs of claimers after a day, requests for mails, links that set a password, and what sign-in no longer needs of
 * known browsers and wrong passwords. A spent token stays until it expires, so that its reuse is detected. Servers may run it
 * concurrently: each skips locked rows. Batches are small, so that no request waits long.
 */
export class ExpiredRecords implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> | undefined;
  private stopped = false;

  constructor(
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.sweeping ??= this.tick().finally(() => (this.sweeping = undefined));
    }, INTERVAL_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.sweeping;
  }

  async sweep(batch = BATCH): Promise<number> {
    const before = this.clock.now() - CLOCK_DIFFERENCE_MS;
    let total = 0;
    for (const statement of expired)
      for (;;) {
        const [, deleted] = await this.store.db.query<[unknown[], number]>(statement, [before, batch]);
        total += deleted;
        if (this.stopped) return total;
        if (deleted < batch) break;
      }
    return total;
  }

  private async tick(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      const level = isUnreachable(error) ? 'warn' : 'error';
      this.logger[level]({ err: error }, 'could not delete expired records; retrying in a minute');
    }
  }
}
