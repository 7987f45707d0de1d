import type { Command } from 'commander';
import { operatorClientOf, REASON_HELP, withOperator } from '../../client/command-options.js';
import type { OperatorOptions } from '../../client/command-options.js';
import { disclosedLines } from './disclosed-texts.js';
import { answerList } from '../../../base/terminal/output.js';

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
      const { disclosed } = await operatorClientOf(options).disclose(eventIds, reason);
      answerList(options, disclosed, disclosedLines);
    });
}
