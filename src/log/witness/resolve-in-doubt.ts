import type { EventLog } from '../event-log.js';
import { readNewest } from '../read-newest.js';
import type { Recorded } from '../recorded.js';
import type { RestrictionEvent } from '../restrictions.js';
import { proofOf } from './proof.js';
import type { Restriction, Witness, WitnessedRestriction } from './witness.js';

/**
 * `missing`: the witness accepted the restriction, but the log lacks it. Only an operator's recovery may repair that.
 */
export type Resolution = 'finalized' | 'withdrawn' | 'missing';

/**
 * Resolves a restriction in doubt by independent proof: a read of its stream in the log, from a leader that proved that
 * it leads if the restriction is not found. `now`: Unix milliseconds.
 * @throws {LogUnavailable} and the witness's errors; the restriction stays in doubt, and can be resolved later.
 */
export async function resolveInDoubt(
  log: EventLog,
  witness: Witness,
  { state, restriction }: WitnessedRestriction,
  now: number,
): Promise<Resolution> {
  const { id } = restriction;
  const recorded = await readNewest(
    log,
    () => findInLog(log, restriction),
    (found) => found !== undefined,
  );
  if (recorded) {
    await witness.accept(id, proofOf(recorded as Recorded<RestrictionEvent>), now);
    await witness.finalize(id, now);
    return 'finalized';
  }
  if (state === 'accepted') return 'missing';
  await witness.withdraw(id, now);
  return 'withdrawn';
}

export async function findInLog(
  log: EventLog,
  { id, stream }: Pick<Restriction, 'id' | 'stream'>,
): Promise<Recorded | undefined> {
  return (await log.read(stream)).find((event) => event.id === id);
}
