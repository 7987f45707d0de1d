import type { EventLog } from '../../log/event-log.js';
import { observeCalls } from '../../base/telemetry/observe-calls.js';
import type { Telemetry } from '../../base/telemetry/telemetry.js';

/** Counts the proofs of the leader. A server of one node needs none. */
export function observeProofs(log: Pick<EventLog, 'prove'>, telemetry: Telemetry): void {
  const { proofs: counter } = telemetry.metrics;
  observeCalls<'prove', [], Awaited<ReturnType<EventLog['prove']>>>(log, 'prove', async (_args, run) => {
    try {
      const proof = await run();
      if (proof) counter.inc({ outcome: 'done' });
      return proof;
    } catch (error) {
      counter.inc({ outcome: 'failed' });
      throw error;
    }
  });
}
