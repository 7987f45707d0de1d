import type { Command } from 'commander';
import { operatorApi, withOperator } from '../act.js';
import type { OperatorOptions } from '../act.js';
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
        ...status.projections.map(
          ({ name, version, position, lag }) => `${name} v${version}  at ${position}, ${lag} behind`,
        ),
      ]);
    });
}
