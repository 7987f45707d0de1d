import { LogUnavailable } from './event-log.js';
import type { EventLog } from './event-log.js';

const ATTEMPTS = 5;

/**
 * Reads for an answer that no append confirms. `read` is repeated behind a proof of the leader, unless `suffices` says
 * that its first result needs none, as when an append or an event of the caller's own follows from it.
 * @throws {LogUnavailable} no leader proved that it leads; errors of `read`.
 */
export async function readNewest<Found>(
  log: Pick<EventLog, 'prove'>,
  read: () => Promise<Found>,
  suffices: (found: Found) => boolean,
): Promise<Found> {
  let found = await read();
  for (let attempt = 1; !suffices(found); attempt++) {
    const proof = await log.prove();
    if (!proof) return found;
    found = await read();
    if (proof.holds) return found;
    if (attempt === ATTEMPTS)
      throw new LogUnavailable(
        'The leader of the event log changed in every attempt; nothing was written, retry.',
      );
  }
  return found;
}
