import type { Command } from 'commander';
import { sleep } from '../../../base/support/sleep.js';
import type { BatchPreview, BatchStatus } from '../../client/answers.js';
import type { CommandOptions } from '../../client/command-options.js';
import type { OperatorClient } from '../../client/operator-client.js';
import type { BatchPlan } from '../../client/operator-requests.js';
import { printResult, timeText } from '../../../base/terminal/output.js';
import { ProgressLine } from '../../../base/terminal/progress-line.js';

const POLL_INTERVAL_MS = 250;

export interface BatchOptions extends CommandOptions {
  readonly dryRun?: true;
}

export function withBatchOptions(command: Command): Command {
  return command.option('--dry-run', 'show what would change, and change nothing');
}

export function requireReason(reason: string | undefined, command: Command): string {
  return reason ?? command.error("error: required option '--reason <why>' not specified", { exitCode: 2 });
}

/** Shows the preview of a batch, and unless it is a dry run requests exactly that, and waits for its end. */
export async function runBatch(
  api: OperatorClient,
  plan: BatchPlan,
  options: BatchOptions,
  command: Command,
): Promise<void> {
  const reason = options.dryRun ? '' : requireReason(options.reason, command);
  const preview = await api.batches.preview(plan);
  if (options.dryRun) {
    printResult(options, preview, previewLines(preview));
    return;
  }
  if (preview.items === 0) {
    printResult(options, preview, ['nothing to do', ...leftLines(preview)]);
    return;
  }
  const { batchId } = await api.batches.request(exactly(plan, preview), preview.digest, reason);
  const done = await batchEnd(api, batchId);
  printResult(options, done, [...batchLines(done), ...leftLines(preview)]);
}

/** With the times that the preview read: a time ago would be another one now. */
function exactly(plan: BatchPlan, { from, until }: BatchPreview): BatchPlan {
  if (plan.kind === 'accounts' || from === undefined || until === undefined) return plan;
  return { ...plan, from: timeText(from), until: timeText(until) };
}

/** Waits until nothing is left to do. It goes on without this command. */
export async function batchEnd(api: OperatorClient, batchId: string): Promise<BatchStatus> {
  const progress = new ProgressLine(String);
  for (;;) {
    const status = await api.batches.show(batchId);
    const { state, done, items } = status;
    progress.show({ what: `batch ${batchId}: ${state}`, done, total: items });
    if (state === 'applied' || state === 'undone') {
      progress.done();
      return status;
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

const counted = (count: number, kind: string): string => `${count} ${count === 1 ? kind.slice(0, -1) : kind}`;

function previewLines(preview: BatchPreview): string[] {
  const { kind, items, first, from, until } = preview;
  const window =
    from === undefined || until === undefined ? '' : ` from ${timeText(from)} to ${timeText(until)}`;
  return [
    `would restrict ${counted(items, kind)}${window}; nothing changed`,
    ...first,
    ...(items > first.length ? [`and ${items - first.length} more`] : []),
    ...leftLines(preview),
    ...(preview.recused.length > 0 ? [`skips ${RECUSED}: ${preview.recused.join(' ')}`] : []),
  ];
}

const RECUSED = 'what you decided and was appealed, as another operator must decide it';

const leftLines = ({ left }: BatchPreview): string[] =>
  left.length === 0 ? [] : [`left out, as they are suspended, erased or unknown: ${left.join(' ')}`];

export function batchLines({ batchId, kind, state, items, applied, undo, undone }: BatchStatus): string[] {
  const recused = state === 'undone' ? [] : (applied?.recused ?? []);
  const all = (state === 'undone' ? undone : applied)?.skipped ?? [];
  const skipped = all.filter((id) => !recused.includes(id));
  return [
    `batch ${batchId}: ${state}, ${counted(items, kind)}`,
    ...(applied ? [`restricted ${applied.changed}`] : []),
    ...(undo
      ? [
          `undo asked for by ${undo.operatorName ?? undo.operatorId ?? 'unknown'} at ${timeText(undo.requestedAt)}: ${undo.reason ?? 'no reason is known'}`,
        ]
      : []),
    ...(undone ? [`lifted again ${undone.changed}`] : []),
    ...(skipped.length > 0 ? [`skipped, as somebody acted on them: ${skipped.join(' ')}`] : []),
    ...(recused.length > 0 ? [`skipped, ${RECUSED}: ${recused.join(' ')}`] : []),
    ...(state === 'applied' ? [`to undo it: plaza batch undo ${batchId} --reason WHY`] : []),
  ];
}
