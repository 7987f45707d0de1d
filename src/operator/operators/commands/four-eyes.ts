import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { operatorClientOf, withOperator, withReason } from '../../client/command-options.js';
import type { CommandOptions, OperatorOptions } from '../../client/command-options.js';
import { printResult } from '../../../base/terminal/output.js';

interface OnOptions extends CommandOptions {
  readonly batchItems?: number;
}

export function addFourEyesCommands(program: Command): void {
  const fourEyes = program
    .command('four-eyes')
    .description('four-eyes: let grave acts wait for the approval of another operator');
  withOperator(fourEyes.command('status'))
    .description('show if four-eyes is on, and how many operators can approve')
    .action(async (options: OperatorOptions) => {
      const state = await operatorClientOf(options).approvals.fourEyes();
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
      const result = await operatorClientOf(options).approvals.turnFourEyesOn(batchItems, reason);
      printResult(options, result, [
        result.changed ? 'four-eyes is on now' : 'four-eyes is on already; nothing changed',
      ]);
    });
  withReason(fourEyes.command('off'))
    .description('turn four-eyes off, which needs an approval itself')
    .action(async ({ reason, ...options }: CommandOptions) => {
      const result = await operatorClientOf(options).approvals.turnFourEyesOff(reason);
      printResult(options, result, [
        result.changed ? 'four-eyes is off now' : 'four-eyes is off already; nothing changed',
      ]);
    });
}

function wholeNumber(value: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}
