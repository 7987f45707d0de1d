import type { EventLog } from '../log/event-log.js';
import type { Recorded } from '../log/recorded.js';
import type { RestrictionEvent } from '../log/restrictions.js';
import { proofOf } from './proof.js';
import type { Restriction, Witness, Witnessed } from './witness.js';

/** `left`: it was accepted and is not in the log (any more), which is not for the settling to mend. */
export type Resolution = 'finalized' | 'withdrawn' | 'left';

/**
 * Settles a restriction that somebody left half-way, by independent proof: is that event in that stream of the log?
 * `now`: Unix milliseconds.
 * @throws {LogUnavailable} and what the witness throws: then it stays as it is, and can be settled later.
 */
export async function resolveInDoubt(
  log: EventLog,
  witness: Witness,
  { state, restriction }: Witnessed,
  now: number,
): Promise<Resolution> {
  const { id } = restriction;
  const found = await inLog(log, restriction);
  if (found) {
    await witness.accept(id, proofOf(found as Recorded<RestrictionEvent>), now);
    await witness.finalize(id, now);
    return 'finalized';
  }
  if (state === 'accepted') return 'left';
  await witness.withdraw(id, now);
  return 'withdrawn';
}

/** The independent proof: the event of that id in that stream of the log, if it is there. @throws {LogUnavailable} */
export async function inLog(
  log: EventLog,
  { id, stream }: Pick<Restriction, 'id' | 'stream'>,
): Promise<Recorded | undefined> {
  return (await log.read(stream)).find((recorded) => recorded.id === id);
}
