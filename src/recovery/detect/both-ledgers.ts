import type { EventLog, EventReference } from '../../log/event-log.js';
import { restrictionTypes } from '../../log/restrictions.js';
import { referencesToTheEnd } from '../../log/read-until-head.js';
import type { Accepted, Witness, Witnessed } from '../../witness/witness.js';

const PAGE = 1_000;
/** Of ids and numbers alone. */
const LIGHT_PAGE = 20_000;

/** What witness and log have of restrictions, without their content. */
export interface BothLedgers {
  /** Accepted and finalized ones of the witness, in the order of their numbers. */
  readonly accepted: readonly Accepted[];
  readonly logged: Logged;
}

/** All restrictions of the log by id. */
export type Logged = ReadonlyMap<string, Pick<EventReference, 'position' | 'witnessEpoch'>>;

/**
 * Reads both from beginning to end, the witness first: what is accepted meanwhile is then in the log only, and does not
 * look as if the log lacked it. `heard` is called whenever the log told some. Rejects with the signal's reason.
 * @throws {LogUnavailable} {@link WitnessUnavailable}
 */
export async function readBothLedgers(
  log: EventLog,
  witness: Witness,
  signal: AbortSignal,
  heard?: () => void,
): Promise<BothLedgers> {
  const accepted = await acceptedBy(witness);
  const logged = new Map<string, Pick<EventReference, 'position' | 'witnessEpoch'>>();
  const all = { types: restrictionTypes, batchSize: PAGE, signal };
  for await (const events of referencesToTheEnd(log, all)) {
    heard?.();
    for (const { id, position, witnessEpoch } of events) logged.set(id, { position, witnessEpoch });
  }
  return { accepted, logged };
}

/** In the order of their numbers. */
export async function acceptedBy(witness: Witness): Promise<readonly Accepted[]> {
  const all: Accepted[] = [];
  for (;;) {
    const page = await witness.acceptedAfter(all.at(-1)?.epoch ?? 0n, LIGHT_PAGE);
    all.push(...page);
    if (page.length < LIGHT_PAGE) return all;
  }
}

/**
 * With their content, page by page, in the order of their numbers. The witness is asked for a thousand at a time, whatever
 * a page has: it is away if it needs more than two seconds, and a busy one needs one for ten thousand.
 */
export async function* contentOf(
  witness: Witness,
  wanted: readonly Accepted[],
  pageSize = PAGE,
): AsyncGenerator<readonly Witnessed[]> {
  for (let at = 0; at < wanted.length; at += pageSize) {
    const page: Witnessed[] = [];
    const end = Math.min(at + pageSize, wanted.length);
    for (let from = at; from < end; from += PAGE) {
      const ids = wanted.slice(from, Math.min(from + PAGE, end)).map(({ id }) => id);
      const known = await witness.find(ids);
      page.push(...ids.flatMap((id) => known.get(id) ?? []));
    }
    yield page;
  }
}

/** Those of these ids that the witness does not know. A prepared one is known: it may be on its way. */
export async function unknownTo(witness: Witness, ids: readonly string[]): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (let at = 0; at < ids.length; at += PAGE) {
    const some = ids.slice(at, at + PAGE);
    const known = await witness.find(some);
    unknown.push(...some.filter((id) => !known.has(id)));
  }
  return unknown;
}
