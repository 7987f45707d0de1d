import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Clock } from '../../commands/support/ambient.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { isUnreachable } from '../../store/unreachable.js';

const INTERVAL_MS = 60_000;
/** Rows of one statement: a moment's work, so that nobody waits for it. */
const BATCH = 500;
/** The clocks of servers differ; by less than this. */
const MARGIN_MS = 60_000;

/** $1: Unix milliseconds. $2: how many rows at the most. */
const expired = [
  `DELETE FROM authority.oidc_record WHERE (kind, key_hash) IN (
     SELECT kind, key_hash FROM authority.oidc_record WHERE expires_at < to_timestamp($1::double precision / 1000)
     ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  `DELETE FROM limits.used WHERE key IN (
     SELECT key FROM limits.used WHERE expire < $1::bigint
     ORDER BY expire LIMIT $2 FOR UPDATE SKIP LOCKED)`,
];

/**
 * Forgets tokens, codes, sessions and interactions some time after they expired: until then a spent one still tells
 * that it is used again. And what was used up of limits in windows that have ended. Every server may do so at once, since each skips the rows that another is at.
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

  /** Deletes what is there to delete, batch by batch, and answers how many rows that were. */
  async sweep(batch = BATCH): Promise<number> {
    const before = this.clock.now() - MARGIN_MS;
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
      this.logger[level](
        { err: error },
        'expired tokens and sessions could not be deleted; trying again later',
      );
    }
  }
}
