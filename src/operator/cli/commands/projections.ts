import type { Command } from 'commander';
import { operatorApi, withOperator, withReason } from '../act.js';
import type { ActOptions, OperatorOptions } from '../act.js';
import { saidOf, watchJob } from '../jobs.js';
import type { OperatorClient } from '../operator-client.js';
import { answer } from '../output.js';

/** `plaza projections …`: what turns facts into answers. */
export function addProjections(program: Command): void {
  const projections = program
    .command('projections')
    .description('projections: see how far they are, build them anew');
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

  withReason(projections.command('rebuild'))
    .description(
      'build read models anew beside those that are read, verify them, switch; Ctrl-C pauses, the same command goes on',
    )
    .argument('[names...]', 'which (one that answers reads means all of those); none: all that answer reads')
    .action(async (names: string[], { reason, ...options }: ActOptions) => {
      const api = operatorApi(options);
      const goOn = ['plaza projections rebuild', ...names].join(' ');
      const job = await watchJob(api, () => api.rebuild(names, reason), goOn);
      answer(options, job, [saidOf(job)]);
    });
}

type Projection = Awaited<ReturnType<OperatorClient['projections']>>['projections'][number];

function lineOf({ name, version, position, lag, stopped }: Projection): string {
  const behind = lag === null ? 'the log does not say how far behind' : `${lag} behind`;
  const line = `${name} v${version}  ${position === null ? 'at none yet' : `at ${position}`}, ${behind}`;
  if (!stopped) return line;
  const event = stopped.eventId === null ? '' : ` (event ${stopped.eventId} at ${stopped.position})`;
  return `${line}; STOPPED${event}: ${stopped.reason}`;
}
