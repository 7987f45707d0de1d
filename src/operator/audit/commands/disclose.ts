import type { Command } from 'commander';
import { actsOf, REASON_HELP, withOperator } from '../../client/command-options.js';
import type { OperatorOptions } from '../../client/command-options.js';
import { disclosedLines } from './disclosed-texts.js';
import { answerList } from '../../../base/terminal/output.js';
import type { textActs } from '../text.acts.js';

interface DiscloseOptions extends OperatorOptions {
  readonly reason: string;
}

export function addDiscloseCommand(program: Command): void {
  withOperator(program.command('disclose'))
    .description(
      'show personal texts that are not public: deleted, restricted or former ones, reports, e-mail addresses; each is recorded',
    )
    .argument('<event-id...>', 'eventId of an event of the audit')
    .requiredOption('--reason <why>', REASON_HELP)
    .action(async (eventIds: string[], { reason, ...options }: DiscloseOptions) => {
      const texts = actsOf<typeof textActs>(options);
      const { disclosed } = await texts.call('POST /operator/texts/disclose', { eventIds, reason });
      answerList(options, disclosed, disclosedLines);
    });
}
