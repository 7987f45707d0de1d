import type { Command } from 'commander';
import { sleep } from '../../../base/support/sleep.js';
import type { batchActs } from '../batch.acts.js';
import type { ShownPreview } from '../batch-preview.js';
import type { BatchStatus } from '../batch-status.js';
import type { CommandOptions } from '../../client/command-options.js';
import { withNames } from '../../client/with-names.js';
import type { NamesInLines } from '../../client/names-in-lines.js';
import type { OperatorClient } from '../../client/operator-client.js';
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

/** Times as the audit's search takes them. */
type BatchPlan =
  | { readonly kind: 'posts'; readonly appId: string; readonly from: string; readonly until: string }
  | { readonly kind: 'accounts'; readonly actorIds: readonly string[] };

/** Shows the preview of a batch, and unless it is a dry run requests exactly that, and waits for its end. */
export async function runBatch(
  api: OperatorClient,
  plan: BatchPlan,
  options: BatchOptions,
  command: Command,
): Promise<void> {
  const reason = options.dryRun ? '' : requireReason(options.reason, command);
  const batches = api.of<typeof batchActs>();
  const preview = await batches.call('POST /operator/batches/preview', plan);
  const print = async (answer: unknown, lines: (names: NamesInLines) => readonly string[]) =>
    printResult(options, answer, await withNames(api, options, lines));
  if (options.dryRun) {
    await print(preview, (names) => previewLines(preview, names));
    return;
  }
  if (preview.items === 0) {
    await print(preview, (names) => ['nothing to do', ...leftLines(preview, names)]);
    return;
  }
  const { digest } = preview;
  const request = { ...exactly(plan, preview), digest, reason };
  const { batchId } = await batches.call('POST /operator/batches', request);
  const done = await batchEnd(api, batchId);
  await print(done, (names) => [...batchLines(done, names), ...leftLines(preview, names)]);
}

/** With the times that the preview read: a time ago would be another one now. */
function exactly(plan: BatchPlan, { from, until }: ShownPreview): BatchPlan {
  if (plan.kind === 'accounts' || from === undefined || until === undefined) return plan;
  return { ...plan, from: timeText(from), until: timeText(until) };
}

/** Waits until nothing is left to do. It goes on without this command. */
export async function batchEnd(api: OperatorClient, batchId: string): Promise<BatchStatus> {
  const progress = new ProgressLine(String);
  for (;;) {
    const status = await api.of<typeof batchActs>().call('GET /operator/batches/:id', { id: batchId });
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

function previewLines(preview: ShownPreview, names: NamesInLines): string[] {
  const { kind, items, first, from, until } = preview;
  const window =
    from === undefined || until === undefined ? '' : ` from ${timeText(from)} to ${timeText(until)}`;
  return [
    `would restrict ${counted(items, kind)}${window}; nothing changed`,
    ...first.map(itemOf(kind, names)),
    ...(items > first.length ? [`and ${items - first.length} more`] : []),
    ...leftLines(preview, names),
    ...(preview.recused.length > 0
      ? [`skips ${RECUSED}: ${listed(preview.recused, itemOf(kind, names))}`]
      : []),
  ];
}

const RECUSED = 'what you decided and was appealed, as another operator must decide it';

const MOST_LISTED = 20;

/** The first items, and how many more there are. */
function listed(items: readonly string[], item: (id: string) => string): string {
  const first = items.slice(0, MOST_LISTED).map(item).join(', ');
  return items.length > MOST_LISTED ? `${first} and ${items.length - MOST_LISTED} more` : first;
}

const itemOf =
  (kind: BatchStatus['kind'], { named }: NamesInLines) =>
  (id: string): string =>
    named(kind === 'posts' ? 'posts' : 'actors', id);

const leftLines = ({ kind, left }: ShownPreview, names: NamesInLines): string[] =>
  left.length === 0
    ? []
    : [`left out, as they are suspended, erased or unknown: ${listed(left, itemOf(kind, names))}`];

export function batchLines(
  { batchId, kind, state, items, applied, undo, undone }: BatchStatus,
  names: NamesInLines,
): string[] {
  const recused = state === 'undone' ? [] : (applied?.recused ?? []);
  const all = (state === 'undone' ? undone : applied)?.skipped ?? [];
  const skipped = all.filter((id) => !recused.includes(id));
  const item = itemOf(kind, names);
  return [
    `batch ${batchId}: ${state}, ${counted(items, kind)}`,
    ...(applied ? [`restricted ${applied.changed}`] : []),
    ...(undo
      ? [
          `undo asked for by ${undo.operatorName ?? undo.operatorId ?? 'unknown'} at ${timeText(undo.requestedAt)}: ${undo.reason ?? 'no reason is known'}`,
        ]
      : []),
    ...(undone ? [`lifted again ${undone.changed}`] : []),
    ...(skipped.length > 0 ? [`skipped, as somebody acted on them: ${listed(skipped, item)}`] : []),
    ...(recused.length > 0 ? [`skipped, ${RECUSED}: ${listed(recused, item)}`] : []),
    ...(state === 'applied' ? [`to undo it: plaza batch undo ${batchId} --reason WHY`] : []),
  ];
}
