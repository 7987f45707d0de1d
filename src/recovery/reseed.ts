import type { EventLog } from '../log/event-log.js';
import type { Recorded } from '../log/recorded.js';
import { isRestriction, restrictionTypes } from '../log/restrictions.js';
import { restrictionHash } from './witness/canonical.js';
import type { Restriction, Witness } from './witness/witness.js';

const BATCH_SIZE = 500;

/**
 * Puts into the witness every restriction that the log has and the witness has not: an operator's explicit act, where the
 * witness was lost or set back. Answers how many. Repeating it changes nothing.
 * @throws {LogUnavailable} {@link WitnessUnavailable} {@link WitnessMismatch}
 */
export async function reseedWitness(
  log: EventLog,
  witness: Witness,
  now: () => number,
  signal: AbortSignal,
  onSeeded: (count: number) => void,
): Promise<number> {
  let count = 0;
  const all = { after: undefined, types: restrictionTypes, batchSize: BATCH_SIZE, signal };
  for await (const { events, caughtUp } of log.subscribe(all)) {
    const known = await witness.find(events.map(({ id }) => id));
    for (const recorded of events) {
      const witnessed = known.get(recorded.id);
      if (witnessed?.state === 'finalized' && witnessed.position === recorded.position) continue;
      await seed(recorded, witnessed !== undefined, witness, now());
      count += 1;
    }
    onSeeded(count);
    if (caughtUp) return count;
  }
  signal.throwIfAborted();
  return count;
}

async function seed(recorded: Recorded, isKnown: boolean, witness: Witness, now: number): Promise<void> {
  const { id, stream, event, position } = recorded;
  if (!isRestriction(event)) return;
  const { witnessEpoch, ...metadata } = recorded.metadata;
  const restriction: Restriction = { id, stream, event, metadata };
  if (!isKnown && witnessEpoch !== undefined) {
    await witness.reseed(restriction, BigInt(witnessEpoch), position, now);
    return;
  }
  // From before there was a witness it has no number; or the witness has it, at another place or not settled.
  await witness.prepare(restriction, now);
  await witness.move(id, { hash: restrictionHash(restriction), position }, now);
}
