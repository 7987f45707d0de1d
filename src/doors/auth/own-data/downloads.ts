import type { CommandBus } from '@nestjs/cqrs';
import { BeginDownload } from '../../../commands/account/begin-download.js';
import type { BegunDownload } from '../../../commands/account/begin-download.js';
import type { Confirmation } from '../passkeys/confirmation.js';
import type { SignedInBrowser } from '../sign-in/sign-in-limits.js';
import { pageRequestMetadata } from '../storage/exchange.js';
import type { FileAnswer, FormFields, HttpExchange } from '../storage/exchange.js';
import { AUDIT_BEHIND } from './data-files.js';
import type { DataFiles } from './data-files.js';
import type { DownloadSlot, DownloadSlots } from './download-slots.js';

/** A person in a browser that has proven who they are. */
export interface Downloader extends SignedInBrowser {
  readonly handle: string;
}

export interface RefusedDownload {
  readonly fault: string;
}

/** Sends a person what the network has of them, as a stream that is never stored. */
export class Downloads {
  constructor(
    private readonly commands: CommandBus,
    private readonly confirmation: Confirmation,
    private readonly slots: DownloadSlots,
    private readonly files: DataFiles,
  ) {}

  /**
   * Begins a download, after a check of the password in the field `proof`, or of a passkey. A message tells why none began.
   * @throws {Fault} `pilot_rate_limited`: too many wrong passwords for this account and browser. Also errors of log and
   * store.
   */
  async begin(
    exchange: HttpExchange,
    person: Downloader,
    fields: FormFields,
  ): Promise<FileAnswer | RefusedDownload> {
    const problem = await this.confirmation.problem(exchange, person, fields, fields['proof']);
    if (problem !== undefined) return { fault: problem };
    const slot = await this.slots.take(person.actorId);
    if (typeof slot === 'string') return { fault: slot };
    try {
      const begun = await this.record(exchange, person.actorId);
      if (!('fault' in begun)) return this.send(person, begun, fields['format'] === 'html', slot);
      slot.release();
      return begun;
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  private async record(exchange: HttpExchange, actorId: string): Promise<BegunDownload | RefusedDownload> {
    // Before the download counts: one that cannot end would use up a day.
    if (!(await this.files.isReady(actorId)))
      return { fault: `${AUDIT_BEHIND} Please try again in a few minutes.` };
    const metadata = pageRequestMetadata(exchange, { actorId });
    const begun = await this.commands.execute(new BeginDownload(actorId, metadata));
    if (!('nextAt' in begun)) return begun;
    const next = new Date(begun.nextAt).toISOString().slice(0, 16).replace('T', ', ');
    return { fault: `You have begun two downloads within a day. You can begin the next one at ${next} UTC.` };
  }

  private send(person: Downloader, begun: BegunDownload, isPage: boolean, slot: DownloadSlot): FileAnswer {
    const name = `plaza-${new Date(begun.at).toISOString().slice(0, 10)}`;
    return isPage
      ? {
          file: this.files.page(person, begun, slot),
          name: `${name}.html`,
          contentType: 'text/html; charset=utf-8',
        }
      : {
          file: this.files.lines(person.actorId, begun, slot),
          name: `${name}.jsonl`,
          contentType: 'application/jsonl; charset=utf-8',
        };
  }
}
