import type { Command } from 'commander';
import type { batchActs } from '../batch.acts.js';
import type { ListedBatch } from '../batch-status.js';
import { performing } from '../../client/perform.js';
import { batchEnd, batchLines } from './batch-lines.js';
import { withNames } from '../../client/with-names.js';
import { operatorClientOf, REASON_HELP, withOperator } from '../../client/command-options.js';
import type { OperatorOptions } from '../../client/command-options.js';
import { localMoment, printResult } from '../../../base/terminal/output.js';
import { tableLines } from '../../../base/terminal/table.js';

const perform = performing<typeof batchActs>();

export function addBatchCommands(program: Command): void {
  const batch = program
    .command('batch')
    .description('batches of restrictions: list them, see their progress, undo them');
  withOperator(batch.command('list'))
    .description('list the newest 50 batches')
    .action(perform('GET /operator/batches', tableOf));
  withOperator(batch.command('status'))
    .description('show the progress or the outcome of a batch')
    .argument('<batch-id>', 'id of the batch')
    .action(
      perform('GET /operator/batches/:id', (batch, _id, _given, names) => [
        ...batchLines(batch, names),
        ...progressLines(batch),
      ]),
    );
  withOperator(batch.command('undo'))
    .description('lift the restrictions of a batch, but for items that somebody acted on since')
    .argument('<batch-id>', 'id of the batch')
    .requiredOption('--reason <why>', REASON_HELP)
    .action(async (id: string, { reason, ...options }: OperatorOptions & { readonly reason: string }) => {
      const api = operatorClientOf(options);
      await api.of<typeof batchActs>().call('POST /operator/batches/:id/undo', { id, reason });
      const undone = await batchEnd(api, id);
      printResult(options, undone, await withNames(api, options, (names) => batchLines(undone, names)));
    });
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
