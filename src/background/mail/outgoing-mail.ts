import type { Client } from 'pg';
import { MailNotSent } from '../../base/mail/mail.js';
import type { MailTransport } from '../../base/mail/mail.js';
import type { MailRequests, StoredRequest } from '../../commands/mail/mail-requests.js';
import { isOutage } from '../../log/witness/outage.js';
import { ExclusiveTask } from '../exclusive-task.js';
import type { ExclusiveTaskOptions } from '../exclusive-task.js';
import type { Composer } from './composer.js';

const INTERVAL_MS = 500;
const AT_ONCE = 8;
/** Each try has a link of its own, so pauses grow: eight tries until the request is worth nothing. */
const FIRST_PAUSE_MS = 30_000;

export interface OutgoingMailOptions extends ExclusiveTaskOptions {
  readonly requests: MailRequests;
  readonly composer: Composer;
  readonly transport: MailTransport;
}

/** Makes and sends the requested mails. After a crash a mail may be sent twice, with a link of its own. */
export class OutgoingMail extends ExclusiveTask {
  protected override readonly lock = 'mail';
  protected override readonly subject = 'sending of mails';

  constructor(private readonly options: OutgoingMailOptions) {
    super(INTERVAL_MS, options);
  }

  protected override async hasWork(): Promise<boolean> {
    return (await this.options.requests.due(1)).length > 0;
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
      await requests.postpone(stored, FIRST_PAUSE_MS);
    }
  }
}
