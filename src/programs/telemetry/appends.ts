import { LeaderChanged, WrongExpectedRevision } from '../../log/event-log.js';
import type { EventLog } from '../../log/event-log.js';
import { observeCalls } from '../../base/telemetry/observe-calls.js';
import type { Telemetry } from '../../base/telemetry/telemetry.js';

/**
 * Observes every append to the log. A conflict is no failure: another writer was first, another leader was read from, or the
 * stream that was probably new was not. The command goes on.
 */
export function observeAppends(log: Pick<EventLog, 'append'>, telemetry: Telemetry): void {
  const { appends: histogram } = telemetry.metrics;
  observeCalls(log, 'append', ([{ events }], run) =>
    telemetry.observe(
      {
        histogram,
        labels: (error) => ({ outcome: outcomeOf(error) }),
        span: () => ({
          name: 'append',
          kind: 'client',
          attributes: { 'plaza.event_types': events.map(({ event }) => event.type) },
        }),
      },
      run,
    ),
  );
}

function outcomeOf(error: unknown): 'done' | 'conflict' | 'failed' {
  if (error === undefined) return 'done';
  return error instanceof WrongExpectedRevision || error instanceof LeaderChanged ? 'conflict' : 'failed';
}
