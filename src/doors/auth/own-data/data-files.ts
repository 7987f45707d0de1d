import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { auditGroup } from '../../../../projections/audit/audit.projection.js';
import { versionsOf } from '../../../../projections/runner/projection.js';
import type { BegunDownload } from '../../../commands/account/begin-download.js';
import { AccountRow } from '../../../base/store/authority/account.row.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import type { PositionListener } from '../../../base/store/position-listener.js';
import type { EventLog } from '../../../log/event-log.js';
import { signedLines } from '../../../log/transparency/signed-lines.js';
import type { LogKeys } from '../../../log/vault/log-keys.js';
import { toFault } from '../rules/faults.js';
import type { DownloadSlot } from './download-slots.js';
import { CutOff, erasedMeanwhile } from './own-facts.js';
import type { OwnFact, OwnFacts } from './own-facts.js';
import { aboutDownload, linesOf, noteTextOf, ownFacts } from './own-lines.js';
import { pageOf } from './own-page.js';

/** Below the time in which a browser, or the command line, expects an answer. */
const AUDIT_WAIT_MS = 20_000;
/** A reader who is slower is cut off: it would keep the place of others. */
const DEADLINE_MS = 15 * 60_000;

export const AUDIT_BEHIND = 'The network is still catching up with what happened.';

/** Makes files of all that the network has of one person, as streams that are never stored. */
export class DataFiles {
  constructor(
    private readonly store: AuthorityStore,
    private readonly log: EventLog,
    private readonly positions: PositionListener,
    private readonly facts: OwnFacts,
    private readonly keys: LogKeys,
    private readonly logger: Logger,
  ) {}

  /** Ask it before a file is begun: one that cannot end would be recorded. @throws errors of log and stores */
  async isReady(actorId: string): Promise<boolean> {
    const head = (await this.log.head()) ?? 0n;
    if (!(await this.isAuditOfRelease()) || !(await this.hasAudit(head))) return false;
    await this.facts.inbox(actorId, head, undefined);
    return true;
  }

  /** Lines of JSON with a signed note. The slot is released at the end. */
  lines(actorId: string, begun: BegunDownload, slot: DownloadSlot): Readable {
    const about = aboutDownload(actorId, begun);
    return fileOf(
      (isEnded) =>
        signedLines(
          linesOf(this.pages(actorId, begun, isEnded), about),
          this.keys.signers,
          (entries) => noteTextOf(about, entries),
          (error) => this.explain(error),
        ),
      slot,
    );
  }

  /** A page to read. The slot is released at the end. */
  page(
    { actorId, handle }: { readonly actorId: string; readonly handle: string },
    begun: BegunDownload,
    slot: DownloadSlot,
  ): Readable {
    return fileOf(
      (isEnded) => pageOf(this.pages(actorId, begun, isEnded), handle, (error) => this.explain(error)),
      slot,
    );
  }

  /** A worker of the release before passes over events that it does not know. */
  private async isAuditOfRelease(): Promise<boolean> {
    const rows = await this.store.db.query<unknown[]>(
      'SELECT FROM recovery.checkpoint WHERE group_name = $1 AND versions = $2',
      [auditGroup.name, versionsOf(auditGroup)],
    );
    return rows.length === 1;
  }

  private hasAudit(position: bigint): Promise<boolean> {
    return this.positions.waitForGroup(auditGroup.name, position, AUDIT_WAIT_MS);
  }

  private async *pages(
    actorId: string,
    begun: BegunDownload,
    isEnded: () => boolean,
  ): AsyncGenerator<readonly OwnFact[]> {
    if (!(await this.hasAudit(begun.position))) throw new CutOff(AUDIT_BEHIND);
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

/** `isEnded` tells the parts that nobody reads on: the stream's own end waits for the page that is being read. */
function fileOf(partsOf: (isEnded: () => boolean) => AsyncIterable<string>, slot: DownloadSlot): Readable {
  const file: Readable = Readable.from(
    partsOf(() => file.destroyed),
    { objectMode: false },
  );
  const deadline = setTimeout(() => file.destroy(), DEADLINE_MS);
  file.once('close', () => {
    clearTimeout(deadline);
    slot.release();
  });
  return file;
}
