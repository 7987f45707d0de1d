import { Readable } from 'node:stream';
import type { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { auditGroup } from '../../../../projections/audit/audit.projection.js';
import { versionsOf } from '../../../../projections/runner/projection.js';
import { BeginDownload } from '../../../commands/account/begin-download.js';
import type { BegunDownload } from '../../../commands/account/begin-download.js';
import { AccountRow } from '../../../base/store/authority/account.row.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { CredentialRow } from '../../../base/store/authority/credential.row.js';
import type { PositionListener } from '../../../base/store/position-listener.js';
import type { EventLog } from '../../../log/event-log.js';
import { signedLines } from '../../../log/transparency/signed-lines.js';
import type { LogKeys } from '../../../log/vault/log-keys.js';
import type { Passwords } from '../passwords.js';
import { toFault } from '../rules/faults.js';
import { enforceLimit } from '../sign-in/password-check.js';
import type { SignedInBrowser, SignInLimits } from '../sign-in/sign-in-limits.js';
import { pageRequestMetadata } from '../storage/exchange.js';
import type { FileAnswer, FormFields, HttpExchange } from '../storage/exchange.js';
import type { DownloadSlot, DownloadSlots } from './download-slots.js';
import { CutOff, erasedMeanwhile } from './own-facts.js';
import type { OwnFact, OwnFacts } from './own-facts.js';
import { aboutDownload, linesOf, noteTextOf, ownFacts } from './own-lines.js';
import { pageOf } from './own-page.js';

/** Below the time in which a browser expects an answer. */
const AUDIT_WAIT_MS = 20_000;
/** A reader who is slower is cut off: it would keep the place of others. */
const DEADLINE_MS = 15 * 60_000;

const AUDIT_BEHIND = 'The network is still catching up with what happened.';

/** A person in a browser that has proven who they are. */
export interface Downloader extends SignedInBrowser {
  readonly handle: string;
}

type Pages = AsyncGenerator<readonly OwnFact[]>;

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
    private readonly log: EventLog,
    private readonly positions: PositionListener,
    private readonly slots: DownloadSlots,
    private readonly facts: OwnFacts,
    private readonly keys: LogKeys,
    private readonly logger: Logger,
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
    const head = (await this.log.head()) ?? 0n;
    if (
      !(await this.isAuditOfRelease()) ||
      !(await this.positions.waitForGroup(auditGroup.name, head, AUDIT_WAIT_MS))
    )
      return { fault: `${AUDIT_BEHIND} Please try again in a few minutes.` };
    await this.facts.inbox(actorId, head, undefined);
    const metadata = pageRequestMetadata(exchange, { actorId });
    const begun = await this.commands.execute(new BeginDownload(actorId, metadata));
    if (!('nextAt' in begun)) return begun;
    const next = new Date(begun.nextAt).toISOString().slice(0, 16).replace('T', ', ');
    return { fault: `You have begun two downloads within a day. You can begin the next one at ${next} UTC.` };
  }

  /** A worker of the release before passes over events that it does not know. */
  private async isAuditOfRelease(): Promise<boolean> {
    const rows = await this.store.db.query<unknown[]>(
      'SELECT FROM recovery.checkpoint WHERE group_name = $1 AND versions = $2',
      [auditGroup.name, versionsOf(auditGroup)],
    );
    return rows.length === 1;
  }

  private send(person: Downloader, begun: BegunDownload, isPage: boolean, slot: DownloadSlot): FileAnswer {
    // Not at the end of the stream, which waits for the page that is being read.
    const pages = this.pages(person.actorId, begun, () => file.destroyed);
    const parts = isPage ? this.page(person, pages) : this.lines(person, begun, pages);
    const file: Readable = Readable.from(parts, { objectMode: false });
    const deadline = setTimeout(() => file.destroy(), DEADLINE_MS);
    file.once('close', () => {
      clearTimeout(deadline);
      slot.release();
    });
    const name = `plaza-${new Date(begun.at).toISOString().slice(0, 10)}`;
    return isPage
      ? { file, name: `${name}.html`, contentType: 'text/html; charset=utf-8' }
      : { file, name: `${name}.jsonl`, contentType: 'application/jsonl; charset=utf-8' };
  }

  private lines({ actorId }: Downloader, begun: BegunDownload, pages: Pages): AsyncGenerator<string, void> {
    const about = aboutDownload(actorId, begun);
    return signedLines(
      linesOf(pages, about),
      this.keys.signers,
      (entries) => noteTextOf(about, entries),
      (error) => this.explain(error),
    );
  }

  private page({ handle }: Downloader, pages: Pages): AsyncGenerator<string, void> {
    return pageOf(pages, handle, (error) => this.explain(error));
  }

  private async *pages(actorId: string, begun: BegunDownload, isEnded: () => boolean): Pages {
    if (!(await this.positions.waitForGroup(auditGroup.name, begun.position, AUDIT_WAIT_MS)))
      throw new CutOff(AUDIT_BEHIND);
    const check = async () => {
      const account = await this.store.db.findOneBy(AccountRow, { actorId });
      if (account?.state === 'erased') throw erasedMeanwhile();
    };
    yield* ownFacts(this.facts, actorId, begun, check, isEnded);
  }

  private explain(error: unknown): string {
    if (error instanceof CutOff) return `${error.message} This file is incomplete.`;
    const fault = toFault(error);
    this.logger[fault.isTransient ? 'warn' : 'error']({ err: error }, 'download cut off');
    return `${fault.description} This file is incomplete: download it again.`;
  }
}
