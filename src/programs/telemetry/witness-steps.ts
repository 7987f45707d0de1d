import type { Witness } from '../../log/witness/witness.js';
import { observeCalls } from '../../base/telemetry/observe-calls.js';
import type { Telemetry } from '../../base/telemetry/telemetry.js';

const steps = ['prepare', 'accept', 'finalize', 'withdraw'] as const;

export function observeWitness(witness: Pick<Witness, (typeof steps)[number]>, telemetry: Telemetry): void {
  const { witnessSteps: histogram } = telemetry.metrics;
  for (const step of steps)
    observeCalls<typeof step, never[], unknown>(witness, step, (_args, run) =>
      telemetry.observe(
        {
          histogram,
          labels: (error) => ({ step, outcome: error === undefined ? 'done' : 'failed' }),
          span: () => ({ name: `witness ${step}`, kind: 'client' }),
        },
        run,
      ),
    );
}
