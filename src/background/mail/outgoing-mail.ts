import type { Client } from 'pg';
import type { MailFiles } from '../../base/mail/mail-files.js';
import { MailNotSent } from '../../base/mail/mail.js';
import type { MailTransport } from '../../base/mail/mail.js';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';
import type { MailRequests, StoredRequest } from '../../commands/mail/mail-requests.js';
import { isOutage } from '../../log/witness/outage.js';
import { ExclusiveTask } from '../exclusive-task.js';
import type { ExclusiveTaskOptions } from '../exclusive-task.js';
import type { Composer } from './composer.js';

const INTERVAL_MS = 500;
const AT_ONCE = 8;
/** Less than the time for which a request counts, many times. */
const RETRY_MS = 30_000;

export interface OutgoingMailOptions extends ExclusiveTaskOptions {
  readonly requests: MailRequests;
  readonly composer: Composer;
  readonly transport: MailTransport;
  /** Undefined: mails are not files. */
  readonly files: MailFiles | undefined;
  readonly store: AuthorityStore;
}

/** Makes and sends the requested mails. After a crash a mail may be sent twice, with a link of its own. */
export class OutgoingMail extends ExclusiveTask {
  protected override readonly lock = 'mail';
  protected override readonly subject = 'sending of mails';

  constructor(private readonly options: OutgoingMailOptions) {
    super(INTERVAL_MS, options);
  }

  protected override async hasWork(): Promise<boolean> {
    const { files, requests, store } = this.options;
    // Before the lock, since each process sees the files of its own machine.
    await files?.removeOld(async (actorIds) => {
      const sql = `SELECT actor_id FROM authority.account WHERE actor_id = ANY ($1) AND state = 'erased'`;
      const rows = await store.db.query<{ actor_id: string }[]>(sql, [actorIds]);
      return rows.map(({ actor_id: actorId }) => actorId);
    });
    return (await requests.due(1)).length > 0;
  }

  protected override async work(_client: Client, signal: AbortSignal): Promise<void> {
    const { promise: aborted, resolve } = Promise.withResolvers<readonly PromiseSettledResult<void>[]>();
    // A server that hangs holds up no stop.
    signal.addEventListener('abort', () => resolve([]), { once: true });
    for (;;) {
      const due = await this.options.requests.due(AT_ONCE);
      if (due.length === 0 || this.isStopping) return;
      const sent = Promise.allSettled(due.map((each) => this.deliver(each)));
      for (const outcome of await Promise.race([sent, aborted]))
        if (outcome.status === 'rejected') throw outcome.reason;
    }
  }

  /** One mail that fails holds up no other. @throws errors of the store */
  private async deliver(stored: StoredRequest): Promise<void> {
    const { requests, composer, transport, logger } = this.options;
    const { request_id: requestId } = stored;
    try {
      const mail = await composer.mailOf(await requests.read(stored), stored.is_retry);
      if (mail) await transport.send(mail);
      await requests.remove(stored);
    } catch (error) {
      if (isOutage(error)) throw error;
      if (error instanceof MailNotSent && error.isFinal) {
        logger.warn({ err: error, requestId }, 'mail refused; given up');
        return requests.remove(stored);
      }
      logger.warn({ err: error, requestId }, 'mail not sent; retrying');
      await requests.postpone(stored, RETRY_MS);
    }
  }
}
