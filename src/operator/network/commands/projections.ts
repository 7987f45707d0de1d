import type { Command } from 'commander';
import { operatorClientOf, withOperator, withReason } from '../../client/command-options.js';
import type { CommandOptions } from '../../client/command-options.js';
import { performing } from '../../client/perform.js';
import { outcomeOf, watchJob } from './jobs.js';
import type { ProjectionState } from '../../../../projections/projection-status.js';
import type { jobActs } from '../job.acts.js';
import { printResult, isOnTerminal } from '../../../base/terminal/output.js';
import { tableLines } from '../../../base/terminal/table.js';

export function addProjectionsCommands(program: Command): void {
  const projections = program
    .command('projections')
    .description('projections: show their progress, rebuild them');
  withOperator(projections.command('status'))
    .description('show the position of each projection and its lag behind the log')
    .action(
      performing<typeof jobActs>()(
        'GET /operator/projections',
        ({ incarnation, quarantine, projections: shown }) => [
          `incarnation ${incarnation ?? 'none yet'}`,
          ...(quarantine === null ? [] : [`IN QUARANTINE, reads are refused: ${quarantine}`]),
          ...(isOnTerminal() ? tableOf(shown) : shown.map(lineOf)),
        ],
      ),
    );

  withReason(projections.command('rebuild'))
    .description(
      'rebuild read models beside the published ones, verify and publish them; Ctrl-C pauses, the same command resumes',
    )
    .argument(
      '[names...]',
      'projections to rebuild; one that serves reads stands for all of them (default: all that serve reads)',
    )
    .action(async (names: string[], { reason, ...options }: CommandOptions) => {
      const api = operatorClientOf(options);
      const resumeCommand = ['plaza projections rebuild', ...names].join(' ');
      const request = () =>
        api.of<typeof jobActs>().call('POST /operator/projections/rebuild', { names, reason });
      const job = await watchJob(api, request, resumeCommand);
      printResult(options, job, [outcomeOf(job)]);
    });
}

function lineOf({ name, version, position, lag, stopped }: ProjectionState): string {
  const behind = lag === null ? 'lag behind the log unknown' : `${lag} behind`;
  const line = `${name} v${version}  ${position === null ? 'no event applied yet' : `at ${position}`}, ${behind}`;
  return stopped ? `${line}; ${reasonOfStop(stopped)}` : line;
}

const tableOf = (projections: readonly ProjectionState[]): string[] =>
  tableLines(
    ['PROJECTION', 'VERSION', 'POSITION', 'BEHIND', 'STOPPED'],
    projections.map(({ name, version, position, lag, stopped }) => [
      name,
      `v${version}`,
      position === null ? 'none yet' : String(position),
      lag === null ? 'unknown' : String(lag),
      stopped ? reasonOfStop(stopped) : 'no',
    ]),
  );

function reasonOfStop({ reason, position, eventId }: NonNullable<ProjectionState['stopped']>): string {
  const event = eventId === null ? '' : ` (event ${eventId} at ${position})`;
  return `STOPPED${event}: ${reason}`;
}
