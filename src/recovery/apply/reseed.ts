import type { EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import { isRestriction, restrictionTypes } from '../../log/restrictions.js';
import { readUntilHead } from '../../log/read-until-head.js';
import type { Restriction, Witness, Witnessed } from '../../witness/witness.js';

const BATCH_SIZE = 500;

/**
 * Puts into the witness every restriction that the log has and the witness has not: an operator's explicit act, where the
 * witness was lost or set back. Afterwards the numbers of a stream are in the order of its events, whichever of them a
 * witness that was set back has given again meanwhile: what is applied again some day is so in the order of the numbers.
 * Answers how many it told. Repeating it changes nothing.
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
  const newest = new Map<string, bigint>();
  const all = { types: restrictionTypes, batchSize: BATCH_SIZE, signal };
  for await (const events of readUntilHead(log, all)) {
    const known = await witness.find(events.map(({ id }) => id));
    for (const recorded of events) {
      const after = newest.get(recorded.stream) ?? 0n;
      let witnessed = known.get(recorded.id);
      if (!witnessed || !isInPlace(witnessed, recorded, after)) {
        witnessed = await witness.reseed(restrictionIn(recorded), placeOf(recorded, after), now());
        count += 1;
      }
      newest.set(recorded.stream, witnessed.epoch);
    }
    onSeeded(count);
  }
  return count;
}

const isInPlace = ({ state, position, epoch }: Witnessed, recorded: Recorded, after: bigint): boolean =>
  state === 'finalized' && position === recorded.position && epoch > after;

const placeOf = ({ position, metadata: { witnessEpoch } }: Recorded, after: bigint) => ({
  position,
  epoch: witnessEpoch === undefined ? undefined : BigInt(witnessEpoch),
  after,
});

function restrictionIn({ id, stream, event, metadata }: Recorded): Restriction {
  if (!isRestriction(event)) throw new Error(`${event.type} restricts nothing`);
  const { witnessEpoch: _, ...asked } = metadata;
  return { id, stream, event, metadata: asked };
}
