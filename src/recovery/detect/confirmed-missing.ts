import type { EventLog } from '../../log/event-log.js';
import { verifyRepeatedly } from '../../log/look-again.js';
import { retryWhileUnavailable } from '../apply/patiently.js';
import type { Witnessed } from '../../witness/witness.js';

/** Streams that are read at once. */
const READS = 32;
/** Of these reads. */
const TRIES = 3;

/**
 * Those of these restrictions, all accepted by the witness before the call, that the log does not have: the leader was
 * asked for each by stream and id three times, over as many connections, and never had it. Rejects when `signal` aborts.
 * @throws {LogUnavailable}
 */
export async function confirmedMissing(
  log: EventLog,
  accepted: readonly Witnessed[],
  signal?: AbortSignal,
): Promise<readonly Witnessed[]> {
  let candidates = accepted;
  const look = async () => {
    candidates = await notFound(log, candidates, signal);
    return candidates.length > 0 ? candidates : undefined;
  };
  return (await verifyRepeatedly(() => log.reconnect(), look, signal)) ?? [];
}

async function notFound(
  log: EventLog,
  wanted: readonly Witnessed[],
  signal: AbortSignal | undefined,
): Promise<readonly Witnessed[]> {
  const missing: Witnessed[] = [];
  for (let at = 0; at < wanted.length; at += READS) {
    signal?.throwIfAborted();
    const some = wanted.slice(at, at + READS);
    const find = () => Promise.all(some.map(({ restriction: { stream, id } }) => log.find(stream, id)));
    const found = await retryWhileUnavailable(find, TRIES, signal);
    missing.push(...some.filter((_, index) => !found[index]));
  }
  return missing;
}
