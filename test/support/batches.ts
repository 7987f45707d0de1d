import type { OperatorClient } from './operator-client.js';
import { until } from './until.js';

/** Suspends accounts in one batch, and waits until it is applied. Returns the id of the batch. */
export async function suspendAll(
  { batches }: OperatorClient,
  actorIds: readonly string[],
  reason: string,
): Promise<string> {
  const plan = { kind: 'accounts', actorIds } as const;
  const { digest } = await batches.preview(plan);
  const { batchId } = await batches.request(plan, digest, reason);
  await until(async () => (await batches.show(batchId)).state === 'applied');
  return batchId;
}

/** Waits until it is undone. */
export async function undoBatch({ batches }: OperatorClient, batchId: string, reason: string): Promise<void> {
  await batches.undo(batchId, reason);
  await until(async () => (await batches.show(batchId)).state === 'undone');
}
