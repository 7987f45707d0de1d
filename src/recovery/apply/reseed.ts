import type { EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import { isRestriction, restrictionTypes } from '../../log/restrictions.js';
import { readUntilHead } from '../../log/read-until-head.js';
import type { Restriction, Witness, WitnessedRestriction } from '../../log/witness/witness.js';

const BATCH_SIZE = 500;

/**
 * Records in the witness each restriction of the log that it lacks or has at another place, and returns their number.
 * An operator requests it after the witness was lost or rolled back. Idempotent.
 *
 * Afterwards the epochs within a stream follow the order of its events, since a later recovery appends by epoch. A
 * rolled-back witness may have assigned some of these epochs again.
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
  const newestEpochs = new Map<string, bigint>();
  const options = { types: restrictionTypes, batchSize: BATCH_SIZE, signal };
  for await (const events of readUntilHead(log, options)) {
    const known = await witness.find(events.map(({ id }) => id));
    for (const recorded of events) {
      const after = newestEpochs.get(recorded.stream) ?? 0n;
      let witnessed = known.get(recorded.id);
      if (!witnessed || !isInPlace(witnessed, recorded, after)) {
        witnessed = await witness.reseed(restrictionIn(recorded), placeOf(recorded, after), now());
        count += 1;
      }
      newestEpochs.set(recorded.stream, witnessed.epoch);
    }
    onSeeded(count);
  }
  return count;
}

const isInPlace = (
  { state, position, epoch }: WitnessedRestriction,
  recorded: Recorded,
  after: bigint,
): boolean => state === 'finalized' && position === recorded.position && epoch > after;

const placeOf = ({ position, metadata: { witnessEpoch } }: Recorded, after: bigint) => ({
  position,
  epoch: witnessEpoch === undefined ? undefined : BigInt(witnessEpoch),
  after,
});

function restrictionIn({ id, stream, event, metadata }: Recorded): Restriction {
  if (!isRestriction(event))
    throw new Error(`the witness cannot be reseeded with a ${event.type} event: it is not a restriction`);
  const { witnessEpoch: _, ...original } = metadata;
  return { id, stream, event, metadata: original };
}
