import type { Command } from 'commander';
import { nowIs, wholeNumber, withOperator, withReason } from '../../client/command-options.js';
import { performing } from '../../client/perform.js';
import type { fourEyesActs } from '../four-eyes.acts.js';

const perform = performing<typeof fourEyesActs>();

export function addFourEyesCommands(program: Command): void {
  const fourEyes = program
    .command('four-eyes')
    .description('four-eyes: let grave acts wait for the approval of another operator');
  withOperator(fourEyes.command('status'))
    .description('show if four-eyes is on, and how many operators can approve')
    .action(
      perform('GET /operator/four-eyes', ({ batchItems, active: { administrators, moderators } }) => [
        batchItems === null
          ? 'four-eyes is off'
          : `four-eyes is on; more than ${batchItems} restrictions of one operator in 24 hours need an approval`,
        `can approve: ${administrators} administrators, ${moderators} moderators`,
      ]),
    );
  withReason(fourEyes.command('on'))
    .description('turn four-eyes on; turning it off, or allowing more restrictions, then needs two')
    .option(
      '--batch-items <number>',
      'restrictions that one operator makes in 24 hours without an approval (default: 100)',
      wholeNumber,
    )
    .action(perform('POST /operator/four-eyes/on', nowIs('four-eyes is on')));
  withReason(fourEyes.command('off'))
    .description('turn four-eyes off, which needs an approval itself')
    .action(perform('POST /operator/four-eyes/off', nowIs('four-eyes is off')));
}
