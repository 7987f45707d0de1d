import type { EventLog } from '../../../src/log/event-log.js';
import { verifyRepeatedly } from '../../../src/log/verify-repeatedly.js';
import { retryWhileUnavailable } from '../../../src/log/retry-while-unavailable.js';
import type { WitnessedRestriction } from '../../../src/log/witness/witness.js';

const PARALLEL_READS = 32;
const TRIES = 3;

/**
 * Returns those of the `accepted` restrictions that the log lacks: three reads by stream and id from the
 * leader, over three connections, found none.
 * @throws {LogUnavailable}; the reason of `signal`.
 */
export async function confirmMissing(
  log: EventLog,
  accepted: readonly WitnessedRestriction[],
  signal?: AbortSignal,
): Promise<readonly WitnessedRestriction[]> {
  let candidates = accepted;
  const findMissing = async () => {
    candidates = await notFound(log, candidates, signal);
    return candidates.length > 0 ? candidates : undefined;
  };
  return (await verifyRepeatedly(() => log.reconnect(), findMissing, signal)) ?? [];
}

async function notFound(
  log: EventLog,
  wanted: readonly WitnessedRestriction[],
  signal: AbortSignal | undefined,
): Promise<readonly WitnessedRestriction[]> {
  const missing: WitnessedRestriction[] = [];
  for (let at = 0; at < wanted.length; at += PARALLEL_READS) {
    signal?.throwIfAborted();
    const batch = wanted.slice(at, at + PARALLEL_READS);
    const find = () => Promise.all(batch.map(({ restriction: { stream, id } }) => log.find(stream, id)));
    const found = await retryWhileUnavailable(find, TRIES, signal);
    missing.push(...batch.filter((_, index) => !found[index]));
  }
  return missing;
}
