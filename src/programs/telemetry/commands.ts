import type { CommandBus } from '@nestjs/cqrs';
import { Refusal } from '../../domain/refusal.js';
import { observeCalls } from '../../base/telemetry/observe-calls.js';
import type { Telemetry } from '../../base/telemetry/telemetry.js';

export function observeCommands(bus: Pick<CommandBus, 'execute'>, telemetry: Telemetry): void {
  const { commands: histogram } = telemetry.metrics;
  observeCalls(bus, 'execute', ([command], run) => {
    const { name } = command.constructor;
    return telemetry.observe(
      {
        histogram,
        labels: (error) => ({ command: name, outcome: outcomeOf(error) }),
        span: () => ({ name, kind: 'internal' }),
      },
      run,
    );
  });
}

function outcomeOf(error: unknown): 'done' | 'refused' | 'failed' {
  if (error === undefined) return 'done';
  return error instanceof Refusal ? 'refused' : 'failed';
}
