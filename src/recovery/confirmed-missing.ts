import { setTimeout as pause } from 'node:timers/promises';
import type { EventLog } from '../log/event-log.js';
import type { Witnessed } from './witness/witness.js';

const LOOK_AGAIN_MS = 1_000;
/** Streams that are read at once. */
const READS = 32;

/**
 * Those of these restrictions, all accepted by the witness before the call, that the log does not have: the leader was
 * asked for each by stream and id twice, a second apart, and had it neither time. @throws {LogUnavailable}
 */
export async function confirmedMissing(
  log: EventLog,
  accepted: readonly Witnessed[],
): Promise<readonly Witnessed[]> {
  const candidates = await notFound(log, accepted);
  if (candidates.length === 0) return [];
  await pause(LOOK_AGAIN_MS);
  return notFound(log, candidates);
}

async function notFound(log: EventLog, wanted: readonly Witnessed[]): Promise<readonly Witnessed[]> {
  const missing: Witnessed[] = [];
  for (let at = 0; at < wanted.length; at += READS) {
    const some = wanted.slice(at, at + READS);
    const found = await Promise.all(some.map(({ restriction: { stream, id } }) => log.find(stream, id)));
    missing.push(...some.filter((_, index) => !found[index]));
  }
  return missing;
}
