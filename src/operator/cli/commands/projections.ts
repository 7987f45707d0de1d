import type { Command } from 'commander';
import { operatorApi, withOperator } from '../act.js';
import type { OperatorOptions } from '../act.js';
import type { OperatorApi } from '../operator-api.js';
import { answer } from '../output.js';

/** `plaza projections …`: what turns facts into answers. */
export function addProjections(program: Command): void {
  const projections = program.command('projections').description('projections: see how far they are');
  withOperator(projections.command('status'))
    .description('how far each projection is, and how far behind the log')
    .action(async (options: OperatorOptions) => {
      const status = await operatorApi(options).projections();
      answer(options, status, [
        `incarnation ${status.incarnation ?? 'none yet'}`,
        ...(status.quarantine === null ? [] : [`IN QUARANTINE, nobody is shown it: ${status.quarantine}`]),
        ...status.projections.map(lineOf),
      ]);
    });
}

type Projection = Awaited<ReturnType<OperatorApi['projections']>>['projections'][number];

function lineOf({ name, version, position, lag, stopped }: Projection): string {
  const behind = lag === null ? 'the log does not say how far behind' : `${lag} behind`;
  const line = `${name} v${version}  ${position === null ? 'at none yet' : `at ${position}`}, ${behind}`;
  if (!stopped) return line;
  const event = stopped.eventId === null ? '' : ` (event ${stopped.eventId} at ${stopped.position})`;
  return `${line}; STOPPED${event}: ${stopped.reason}`;
}
