import type { AuditCursor } from '../../../../projections/audit/audit.read-model.js';
import type { Keyset } from '../../../../projections/runner/page-query.js';
import { sleep } from '../../../base/support/sleep.js';
import type { BegunDownload } from '../../../commands/account/begin-download.js';
import { canonicalJson } from '../../../log/transparency/canonical-json.js';
import type { SignedEntries } from '../../../log/transparency/signed-lines.js';
import { HttpRefusal } from '../../../server/errors.js';
import { fieldMeanings, ownLineRules, titleOf } from './own-events.js';
import type { OwnFact, OwnFacts } from './own-facts.js';

/** First line of the note. No other note of a network begins so (docs/adr/0033-signed-export.md). */
const FORMAT = 'plaza-own-data/v1';

/** Bounds the memory of a download: a post takes up to ten kilobytes. Each event is a read of the log. */
const PAGE = 100;

/** Between two tries to read a page. */
const RETRY_MS = 500;

/**
 * Yields what a download has, newest first: the events of the person up to the one that records it, then their inbox. Before
 * each page `check` throws if the person may not have the rest. A page that the network refuses to read now is read again,
 * unless the download has ended.
 */
export async function* ownFacts(
  facts: OwnFacts,
  actorId: string,
  upTo: BegunDownload,
  check: () => Promise<void>,
  isEnded: () => boolean,
): AsyncGenerator<readonly OwnFact[]> {
  let before: AuditCursor | undefined;
  do {
    await check();
    const page = await untilReadable(() => facts.page(actorId, { before, limit: PAGE, upTo }), isEnded);
    yield page.facts;
    before = page.next;
  } while (before);
  let after: Keyset | undefined;
  do {
    const page = await untilReadable(() => facts.inbox(actorId, upTo.position, after), isEnded);
    await check();
    yield page.facts;
    after = page.next;
  } while (after);
  await check();
}

async function untilReadable<Page>(read: () => Promise<Page>, isEnded: () => boolean): Promise<Page> {
  for (;;)
    try {
      return await read();
    } catch (error) {
      if (isEnded() || !(error instanceof HttpRefusal && error.status === 503)) throw error;
      await sleep(RETRY_MS);
    }
}

/** Each fact as a line of canonical JSON, below a line that describes all of them. */
export async function* linesOf(
  pages: AsyncIterable<readonly OwnFact[]>,
  about: object,
): AsyncGenerator<readonly string[]> {
  const types = Object.fromEntries(
    Object.entries(ownLineRules).map(([type, rule]) => [
      type,
      { meaning: titleOf(rule), fields: rule.fields },
    ]),
  );
  yield [canonicalJson({ type: 'description', format: FORMAT, ...about, types, fields: fieldMeanings })];
  for await (const facts of pages) yield facts.map((fact) => canonicalJson(fact));
}

/** The facts of a download that its first line and its note name. */
export const aboutDownload = (actorId: string, begun: BegunDownload) => ({
  actorId,
  network: begun.networkId,
  downloadId: begun.downloadId,
  begunAt: new Date(begun.at).toISOString(),
  upTo: { position: Number(begun.position), eventId: begun.eventId },
});

export const noteTextOf = (about: object, entries: SignedEntries): string =>
  `${FORMAT}\n${canonicalJson({ ...about, entries })}\n`;
