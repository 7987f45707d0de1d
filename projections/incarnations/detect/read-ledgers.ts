import type { EventLog, EventReference } from '../../../src/log/event-log.js';
import { restrictionTypes } from '../../../src/log/restrictions.js';
import { readReferencesUntilHead } from '../../../src/log/read-until-head.js';
import type { AcceptedRestriction, Witness, WitnessedRestriction } from '../../../src/log/witness/witness.js';

const PAGE = 1_000;
const REFERENCE_PAGE = 20_000;

export interface BothLedgers {
  readonly accepted: readonly AcceptedRestriction[];
  readonly logged: LoggedRestrictions;
}

export type LoggedRestrictions = ReadonlyMap<string, Pick<EventReference, 'position' | 'witnessEpoch'>>;

/**
 * Reads the restrictions of the witness, then those of the log: in this order, one that is accepted meanwhile appears
 * in the log only and does not look missing. `onBatch` runs for each batch of the log.
 * @throws {LogUnavailable} {@link WitnessUnavailable}; the reason of `signal`.
 */
export async function readBothLedgers(
  log: EventLog,
  witness: Witness,
  signal: AbortSignal,
  onBatch?: () => void,
): Promise<BothLedgers> {
  const accepted = await readAcceptedRestrictions(witness);
  const logged = new Map<string, Pick<EventReference, 'position' | 'witnessEpoch'>>();
  const all = { types: restrictionTypes, batchSize: PAGE, signal };
  for await (const events of readReferencesUntilHead(log, all)) {
    onBatch?.();
    for (const { id, position, witnessEpoch } of events) logged.set(id, { position, witnessEpoch });
  }
  return { accepted, logged };
}

export async function readAcceptedRestrictions(witness: Witness): Promise<readonly AcceptedRestriction[]> {
  const all: AcceptedRestriction[] = [];
  for (;;) {
    const page = await witness.acceptedAfter(all.at(-1)?.epoch ?? 0n, REFERENCE_PAGE);
    all.push(...page);
    if (page.length < REFERENCE_PAGE) return all;
  }
}

/**
 * Reads the content of `wanted` in pages of `pageSize`, but 1,000 a query: the witness counts as unavailable
 * after 2 s, and a busy one takes 1 s for 10,000.
 */
export async function* readRestrictionContent(
  witness: Witness,
  wanted: readonly AcceptedRestriction[],
  pageSize = PAGE,
): AsyncGenerator<readonly WitnessedRestriction[]> {
  for (let at = 0; at < wanted.length; at += pageSize) {
    const page: WitnessedRestriction[] = [];
    const end = Math.min(at + pageSize, wanted.length);
    for (let from = at; from < end; from += PAGE) {
      const ids = wanted.slice(from, Math.min(from + PAGE, end)).map(({ id }) => id);
      const known = await witness.find(ids);
      page.push(...ids.flatMap((id) => known.get(id) ?? []));
    }
    yield page;
  }
}

/**
 * Returns the `ids` that the witness does not have in any state. A prepared restriction counts as known: its append may
 * be under way.
 */
export async function findUnknownToWitness(
  witness: Witness,
  ids: readonly string[],
): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (let at = 0; at < ids.length; at += PAGE) {
    const batch = ids.slice(at, at + PAGE);
    const known = await witness.find(batch);
    unknown.push(...batch.filter((id) => !known.has(id)));
  }
  return unknown;
}
