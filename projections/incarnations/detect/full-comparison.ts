import { z } from 'zod';
import type { EventLog } from '../../../src/log/event-log.js';
import { readAcceptedRestrictions, readRestrictionContent, findUnknownToWitness } from './read-ledgers.js';
import type { BothLedgers, LoggedRestrictions } from './read-ledgers.js';
import { confirmMissing } from './confirmed-missing.js';
import type { Witness, WitnessedRestriction } from '../../../src/log/witness/witness.js';

const PAGE = 10_000;

/**
 * Yields the accepted restrictions that the log lacks or has at another position, by epoch. An interrupted
 * recovery may have appended one without moving its witness entry.
 */
export async function* missingRestrictions(
  logged: LoggedRestrictions,
  witness: Witness,
): AsyncGenerator<WitnessedRestriction> {
  const accepted = await readAcceptedRestrictions(witness);
  const moved = accepted.filter(({ id, position }) => logged.get(id)?.position !== position);
  for await (const page of readRestrictionContent(witness, moved)) yield* page;
}

export const missingShape = z.strictObject({
  count: z.number(),
  byType: z.record(z.string(), z.number()),
  first: z
    .array(z.strictObject({ epoch: z.number(), type: z.string(), stream: z.string(), at: z.number() }))
    .readonly(),
});

export type MissingRestrictions = z.infer<typeof missingShape>;

/**
 * The result of a full comparison. `unwitnessed`: restrictions of the log with an epoch that the witness,
 * lost or rolled back, does not know. `onlyShown`: restrictions that only the read models have, since log and
 * witness lost them.
 */
export interface LedgerComparison {
  readonly witnessed: number;
  readonly logged: number;
  readonly missing: MissingRestrictions;
  readonly unwitnessed: number;
  readonly onlyShown: number;
}

/**
 * Compares the restrictions of witness and log. `shown`: ids of those that the read models have. `most`: how many of
 * the missing ones to list.
 * @throws {LogUnavailable} {@link WitnessUnavailable}; the reason of `signal`.
 */
export async function compareLedgers(
  { accepted, logged }: BothLedgers,
  { log, witness }: { readonly log: EventLog; readonly witness: Witness },
  shown: readonly string[],
  signal: AbortSignal,
  most: number,
): Promise<LedgerComparison> {
  const byType: Record<string, number> = {};
  const first: MissingRestrictions['first'][number][] = [];
  let count = 0;
  const candidates = accepted.filter(({ id }) => !logged.has(id));
  for await (const page of readRestrictionContent(witness, candidates, PAGE)) {
    for (const { epoch, restriction } of await confirmMissing(log, page, signal)) {
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
  const unlogged = shown.filter((id) => !logged.has(id) && !known.has(id));
  return {
    witnessed: accepted.length,
    logged: logged.size,
    missing: { count, byType, first },
    unwitnessed: (await findUnknownToWitness(witness, numbered)).length,
    onlyShown: (await findUnknownToWitness(witness, unlogged)).length,
  };
}
