import { observeClient } from '../../telemetry/statements.js';
import type { Telemetry } from '../../../base/telemetry/telemetry.js';
import type { GroupRunnerOptions } from '../../../../projections/runner/group-runner.js';

/** Returns options with which a runner measures its batches and SQL statements, and makes spans of them. */
export function observedGroup(options: GroupRunnerOptions, telemetry: Telemetry): GroupRunnerOptions {
  const { name: group } = options.group;
  const { batches: histogram } = telemetry.metrics;
  return {
    ...options,
    prepare: (client, signal) => {
      observeClient(client, 'read', telemetry);
      return options.prepare(client, signal);
    },
    observeBatch: (events, apply) =>
      telemetry.observe(
        {
          histogram,
          labels: (error) => ({ group, outcome: error === undefined ? 'done' : 'failed' }),
          span: () => ({
            name: `project ${group}`,
            kind: 'internal',
            attributes: { 'plaza.events': events },
          }),
        },
        apply,
      ),
  };
}
