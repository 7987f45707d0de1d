import type { Logger } from 'pino';
import type { MailFiles } from '../../base/mail/mail-files.js';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { PeriodicTask } from '../../base/support/periodic-task.js';

const INTERVAL_MS = 5_000;

const erasedSql = `SELECT actor_id FROM authority.account WHERE actor_id = ANY ($1) AND state = 'erased'`;

/**
 * Removes mails that are files after a day, and with the erasure of their person. Each process does so, since it sees the
 * files of its own machine, and also after the network got a server for mails.
 */
export class MailFileCleanup extends PeriodicTask {
  private isLogged = false;

  constructor(
    private readonly files: MailFiles,
    private readonly store: AuthorityStore,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {
    super(INTERVAL_MS);
  }

  protected override async runOnce(): Promise<void> {
    try {
      await this.files.removeOld(async (actorIds) => {
        const rows = await this.store.db.query<{ actor_id: string }[]>(erasedSql, [actorIds]);
        return rows.map(({ actor_id: actorId }) => actorId);
      });
      this.isLogged = false;
    } catch (error) {
      if (!this.isLogged) this.logger.warn({ err: error }, 'files of mails not removed; retrying');
      this.isLogged = true;
    }
  }
}
