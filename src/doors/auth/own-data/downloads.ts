import type { CommandBus } from '@nestjs/cqrs';
import { BeginDownload } from '../../../commands/account/begin-download.js';
import type { BegunDownload } from '../../../commands/account/begin-download.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { CredentialRow } from '../../../base/store/authority/credential.row.js';
import type { Passwords } from '../passwords.js';
import { enforceLimit } from '../sign-in/password-check.js';
import type { SignedInBrowser, SignInLimits } from '../sign-in/sign-in-limits.js';
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
    private readonly store: AuthorityStore,
    private readonly passwords: Passwords,
    private readonly limits: SignInLimits,
    private readonly slots: DownloadSlots,
    private readonly files: DataFiles,
  ) {}

  /**
   * Begins a download, after a check of the password in the field `proof`. A message tells why none began.
   * @throws {Fault} `pilot_rate_limited`: too many wrong passwords for this account and browser. Also errors of log and
   * store.
   */
  async begin(
    exchange: HttpExchange,
    person: Downloader,
    { proof = '', format }: FormFields,
  ): Promise<FileAnswer | RefusedDownload> {
    if (!(await this.isProven(exchange, person, proof))) return { fault: 'That is not your password.' };
    const slot = await this.slots.take(person.actorId);
    if (typeof slot === 'string') return { fault: slot };
    try {
      const begun = await this.record(exchange, person.actorId);
      if (!('fault' in begun)) return this.send(person, begun, format === 'html', slot);
      slot.release();
      return begun;
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  private async isProven(exchange: HttpExchange, person: Downloader, proof: string): Promise<boolean> {
    enforceLimit(exchange, await this.limits.takePasswordConfirmation(person));
    const credential = await this.store.db.findOneBy(CredentialRow, { actorId: person.actorId });
    if (!(await this.passwords.verify(credential?.passwordHash, proof))) return false;
    await this.limits.refundPasswordConfirmation(person);
    return true;
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
