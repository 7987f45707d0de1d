import { sleep } from '../../../base/support/sleep.js';
import type { auditActs } from '../audit.acts.js';
import type { AuditEntry } from '../entry.js';
import type { AuditAnswer } from '../search.js';
import { Failure, Refused } from '../../../base/terminal/failure.js';
import type { OperatorClient } from '../../client/operator-client.js';
import { localMoment } from '../../../base/terminal/output.js';
import { terminal } from '../../../base/terminal/terminal.js';

const FOLLOW_INTERVAL_MS = 1_000;

/** `q`: terms of the search (src/operator/audit/search-query.ts). */
interface AuditQuestion {
  readonly q: string;
  readonly texts: boolean;
}

/** The pages of a search, newest first. `wait`: first for every event that the log has now. */
export async function* pagesOf(
  api: OperatorClient,
  question: AuditQuestion,
  { limit = Infinity, wait }: { readonly limit?: number | undefined; readonly wait: boolean },
): AsyncGenerator<AuditAnswer> {
  const acts = api.of<typeof auditActs>();
  const ask = () => acts.call('GET /operator/audit', { ...question, ...pageSize(limit), wait });
  let first = await ask();
  if (first.lag !== 0) warn(lagNotice(first));
  if (wait) while ((first.lag ?? 0) > 0) first = await ask();
  if (!first.hasTexts) warn('texts are missing, because the log does not answer; check /readyz');
  for (let [page, left] = [first, limit]; ;) {
    yield page;
    left -= page.events.length;
    if (page.next === null || left <= 0) return;
    const { q, next: before } = page;
    page = await acts.call('GET /operator/audit', { ...question, ...pageSize(left), q, before });
  }
}

const pageSize = (left: number): { readonly limit?: number } => (left < 100 ? { limit: left } : {});

function lagNotice({ lag, upTo }: AuditAnswer): string {
  const newest = upTo === null ? 'no event yet' : `the events up to ${localMoment(upTo)}`;
  return lag === null
    ? `the audit has ${newest}; it is unknown if that is all: the log does not answer, or is not the applied one; check plaza projections status`
    : `the audit is behind the log and has ${newest}; --wait waits for the rest; if this lasts, check plaza projections status`;
}

/** An event with the cursor that `--after` takes to go on after it. */
export type FollowedEntry = AuditEntry & { readonly cursor: string };

/** Events in the order of the log, for ever. Goes on by itself after an outage. @throws {Refused} */
export async function* followedEvents(
  api: OperatorClient,
  question: AuditQuestion,
  after: string | undefined,
): AsyncGenerator<FollowedEntry> {
  let [cursor, problem, { q }] = [after, '', question];
  let isFirst = true;
  for (;;) {
    try {
      const asked = { ...question, q, after: cursor };
      const page = await api.of<typeof auditActs>().call('GET /operator/audit/follow', asked);
      const { events, next, hasTexts } = page;
      q = page.q;
      // A follower never passes an event without the text that it asked for.
      if (!hasTexts) throw new Failure('the log does not answer');
      for (const event of events) yield { cursor: `${event.position}.${event.eventId}`, ...event };
      const goesOn = next !== null && next !== cursor;
      [cursor, problem, isFirst] = [next ?? cursor, '', false];
      if (!goesOn) await sleep(FOLLOW_INTERVAL_MS);
    } catch (error) {
      if (isFirst || error instanceof Refused || !(error instanceof Failure)) throw error;
      if (error.message !== problem) warn(`${error.message}; retrying`);
      problem = error.message;
      await sleep(FOLLOW_INTERVAL_MS);
    }
  }
}

function warn(message: string): void {
  terminal().stderr.write(`${message}\n`);
}
