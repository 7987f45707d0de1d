import type { Command } from 'commander';
import { operatorClientOf, REASON_HELP, withOperator } from '../../client/command-options.js';
import type { OperatorOptions } from '../../client/command-options.js';
import { disclosedLines } from './disclosed-texts.js';
import { withNames } from '../../client/with-names.js';
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
      const api = operatorClientOf(options);
      const given = { eventIds, reason };
      const { disclosed } = await api.of<typeof textActs>().call('POST /operator/texts/disclose', given);
      const lines = await withNames(api, options, (names) => disclosedLines(disclosed, names));
      answerList(options, disclosed, () => lines);
    });
}
