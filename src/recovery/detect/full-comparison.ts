import type { EventLog } from '../../log/event-log.js';
import { acceptedBy, contentOf, unknownTo } from './both-ledgers.js';
import type { BothLedgers, Logged } from './both-ledgers.js';
import { confirmedMissing } from './confirmed-missing.js';
import type { Witness, Witnessed } from '../../witness/witness.js';

/** Restrictions that are looked for in the log together. */
const LOOK_PAGE = 10_000;

/**
 * The restrictions that were accepted and that the log, as it was read, does not have where it was seen, in the order of
 * their numbers. One that is elsewhere was appended again by a recovery that was cut off before the witness was told.
 */
export async function* missingRestrictions(logged: Logged, witness: Witness): AsyncGenerator<Witnessed> {
  const accepted = await acceptedBy(witness);
  const moved = accepted.filter(({ id, position }) => logged.get(id)?.position !== position);
  for await (const page of contentOf(witness, moved)) yield* page;
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
 * `shown`: ids of the restrictions that read models show. `most`: how many of the missing ones are listed. Rejects with
 * the signal's reason. @throws {LogUnavailable} {@link WitnessUnavailable}
 */
export async function compareLedgers(
  { accepted, logged }: BothLedgers,
  { log, witness }: { readonly log: EventLog; readonly witness: Witness },
  shown: readonly string[],
  signal: AbortSignal,
  most: number,
): Promise<Agreement> {
  const byType: Record<string, number> = {};
  const first: Missing['first'][number][] = [];
  let count = 0;
  const candidates = accepted.filter(({ id }) => !logged.has(id));
  for await (const page of contentOf(witness, candidates, LOOK_PAGE)) {
    for (const { epoch, restriction } of await confirmedMissing(log, page, signal)) {
      const { type, data } = restriction.event;
      count += 1;
      byType[type] = (byType[type] ?? 0) + 1;
      if (first.length < most)
        first.push({ epoch: Number(epoch), type, stream: restriction.stream, at: data.at });
    }
  }
  const known = new Set(accepted.map(({ id }) => id));
  const numbered = [...logged].flatMap(([id, { witnessEpoch }]) =>
    witnessEpoch === undefined || known.has(id) ? [] : id,
  );
  const elsewhere = shown.filter((id) => !logged.has(id) && !known.has(id));
  return {
    witnessed: accepted.length,
    logged: logged.size,
    missing: { count, byType, first },
    unwitnessed: (await unknownTo(witness, numbered)).length,
    onlyShown: (await unknownTo(witness, elsewhere)).length,
  };
}
