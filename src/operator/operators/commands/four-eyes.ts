import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { actsOf, stateLine, withOperator, withReason } from '../../client/command-options.js';
import type { CommandOptions, OperatorOptions } from '../../client/command-options.js';
import { printResult } from '../../../base/terminal/output.js';
import type { fourEyesActs } from '../four-eyes.acts.js';

interface OnOptions extends CommandOptions {
  readonly batchItems?: number;
}

const acts = actsOf<typeof fourEyesActs>;

export function addFourEyesCommands(program: Command): void {
  const fourEyes = program
    .command('four-eyes')
    .description('four-eyes: let grave acts wait for the approval of another operator');
  withOperator(fourEyes.command('status'))
    .description('show if four-eyes is on, and how many operators can approve')
    .action(async (options: OperatorOptions) => {
      const state = await acts(options).call('GET /operator/four-eyes');
      const { administrators, moderators } = state.active;
      printResult(options, state, [
        state.batchItems === null
          ? 'four-eyes is off'
          : `four-eyes is on; more than ${state.batchItems} restrictions of one operator in 24 hours need an approval`,
        `can approve: ${administrators} administrators, ${moderators} moderators`,
      ]);
    });
  withReason(fourEyes.command('on'))
    .description('turn four-eyes on; turning it off, or allowing more restrictions, then needs two')
    .option(
      '--batch-items <number>',
      'restrictions that one operator makes in 24 hours without an approval (default: 100)',
      wholeNumber,
    )
    .action(async ({ reason, batchItems, ...options }: OnOptions) => {
      const result = await acts(options).call('POST /operator/four-eyes/on', { batchItems, reason });
      printResult(options, result, [stateLine('four-eyes is on', result)]);
    });
  withReason(fourEyes.command('off'))
    .description('turn four-eyes off, which needs an approval itself')
    .action(async ({ reason, ...options }: CommandOptions) => {
      const result = await acts(options).call('POST /operator/four-eyes/off', { reason });
      printResult(options, result, [stateLine('four-eyes is off', result)]);
    });
}

function wholeNumber(value: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}
