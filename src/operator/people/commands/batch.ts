import type { Command } from 'commander';
import type { ListedBatch } from '../../client/answers.js';
import { batchEnd, batchLines } from './batch-lines.js';
import { operatorClientOf, REASON_HELP, withOperator } from '../../client/command-options.js';
import type { OperatorOptions } from '../../client/command-options.js';
import { answerList, localMoment, printResult } from '../../../base/terminal/output.js';
import { tableLines } from '../../../base/terminal/table.js';

export function addBatchCommands(program: Command): void {
  const batch = program
    .command('batch')
    .description('batches of restrictions: list them, see their progress, undo them');
  withOperator(batch.command('list'))
    .description('list the newest 50 batches')
    .action(async (options: OperatorOptions) => {
      answerList(options, await operatorClientOf(options).batches.list(), tableOf);
    });
  withOperator(batch.command('status'))
    .description('show the progress or the outcome of a batch')
    .argument('<batch-id>', 'id of the batch')
    .action(async (batchId: string, options: OperatorOptions) => {
      const status = await operatorClientOf(options).batches.show(batchId);
      printResult(options, status, [...batchLines(status), ...progressLines(status)]);
    });
  withOperator(batch.command('undo'))
    .description('lift the restrictions of a batch, but for items that somebody acted on since')
    .argument('<batch-id>', 'id of the batch')
    .requiredOption('--reason <why>', REASON_HELP)
    .action(
      async (batchId: string, { reason, ...options }: OperatorOptions & { readonly reason: string }) => {
        const api = operatorClientOf(options);
        await api.batches.undo(batchId, reason);
        const undone = await batchEnd(api, batchId);
        printResult(options, undone, batchLines(undone));
      },
    );
}

const progressLines = ({ state, done, items }: ListedBatch): string[] =>
  state === 'applying' || state === 'undoing' ? [`${done} of ${items} done`] : [];

const tableOf = (batches: readonly ListedBatch[]) =>
  tableLines(
    ['REQUESTED', 'BATCH', 'STATE', 'ITEMS', 'BY', 'WHY'],
    batches.map(({ requestedAt, batchId, state, items, kind, operatorId, operatorName, reason }) => [
      localMoment(requestedAt),
      batchId,
      state,
      `${items} ${kind}`,
      operatorName ?? operatorId ?? '',
      reason ?? '',
    ]),
  );
