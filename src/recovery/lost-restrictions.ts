import type { EventLog } from '../log/event-log.js';
import { restrictionTypes } from '../log/restrictions.js';
import { toTheEnd } from '../log/to-the-end.js';
import type { Witness, Witnessed } from './witness/witness.js';

const PAGE = 1_000;

/** Every accepted and finalized restriction of the witness, in the order of their numbers. */
export async function* witnessedIn(witness: Witness): AsyncGenerator<Witnessed> {
  let last = 0n;
  for (;;) {
    const page = await witness.after(last, PAGE);
    yield* page;
    const newest = page.at(-1);
    if (!newest || page.length < PAGE) return;
    last = newest.epoch;
  }
}

/**
 * The restrictions that were accepted and that the log does not have where it was seen, in the order of their numbers: proven
 * against the log itself, event by event, since read models may show what the log has lost. One that is elsewhere was
 * appended again by a recovery that was cut off before the witness was told.
 */
export async function* missingRestrictions(
  log: EventLog,
  witness: Witness,
  signal: AbortSignal,
): AsyncGenerator<Witnessed> {
  const there = await restrictionsIn(log, signal);
  for await (const witnessed of witnessedIn(witness))
    if (there.get(witnessed.restriction.id)?.position !== witnessed.position) yield witnessed;
}

interface Logged {
  readonly position: bigint;
  /** Whether it has a number of a witness. */
  readonly isNumbered: boolean;
}

/** All restrictions that the log has, by id. */
async function restrictionsIn(log: EventLog, signal: AbortSignal): Promise<ReadonlyMap<string, Logged>> {
  const logged = new Map<string, Logged>();
  for await (const events of toTheEnd(log, { types: restrictionTypes, batchSize: PAGE, signal }))
    for (const { id, position, metadata } of events)
      logged.set(id, { position, isNumbered: metadata.witnessEpoch !== undefined });
  return logged;
}

/** What is missing, for people: how many of each type, and the first of them. */
export interface Missing {
  readonly count: number;
  readonly byType: Readonly<Record<string, number>>;
  readonly first: readonly {
    readonly epoch: number;
    readonly type: string;
    readonly stream: string;
    /** When it was asked for: Unix milliseconds. */
    readonly at: number;
  }[];
}

/** How witness and log stand to each other, all of both compared. */
export interface Agreement {
  /** How many restrictions each has. */
  readonly witnessed: number;
  readonly logged: number;
  /** What the witness has accepted and the log lacks. */
  readonly missing: Missing;
  /** How many the log has, with numbers of a witness, that the witness does not know: it was lost or set back. */
  readonly unwitnessed: number;
  /** How many read models show that neither of them knows: both were. */
  readonly onlyShown: number;
}

/**
 * `shown`: ids of the restrictions that read models show. `most`: how many of the missing ones are listed.
 * @throws {LogUnavailable} {@link WitnessUnavailable}
 */
export async function agreementOf(
  log: EventLog,
  witness: Witness,
  shown: readonly string[],
  signal: AbortSignal,
  most: number,
): Promise<Agreement> {
  const there = await restrictionsIn(log, signal);
  const byType: Record<string, number> = {};
  const first: Missing['first'][number][] = [];
  let [witnessed, count] = [0, 0];
  for await (const { epoch, restriction } of witnessedIn(witness)) {
    witnessed += 1;
    if (there.has(restriction.id)) continue;
    const { type, data } = restriction.event;
    count += 1;
    byType[type] = (byType[type] ?? 0) + 1;
    if (first.length < most)
      first.push({ epoch: Number(epoch), type, stream: restriction.stream, at: data.at });
  }
  const numbered = [...there].flatMap(([id, { isNumbered }]) => (isNumbered ? [id] : []));
  const unwitnessed = await unknownTo(witness, numbered);
  const elsewhere = shown.filter((id) => !there.has(id));
  const onlyShown = await unknownTo(witness, elsewhere);
  return { witnessed, logged: there.size, missing: { count, byType, first }, unwitnessed, onlyShown };
}

/** What is prepared only is known, too: it may be on its way, and whoever settles it asks the log. */
async function unknownTo(witness: Witness, ids: readonly string[]): Promise<number> {
  let unknown = 0;
  for (let at = 0; at < ids.length; at += PAGE) {
    const some = ids.slice(at, at + PAGE);
    unknown += some.length - (await witness.find(some)).size;
  }
  return unknown;
}
