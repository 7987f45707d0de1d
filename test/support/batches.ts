import type { OperatorClient } from './operator-client.js';
import { until } from './until.js';

/** Suspends accounts in one batch, and waits until it is applied. Returns the id of the batch. */
export async function suspendAll(
  client: OperatorClient,
  actorIds: readonly string[],
  reason: string,
): Promise<string> {
  const plan = { kind: 'accounts', actorIds } as const;
  const { digest } = await client.post('batches/preview', plan);
  const { batchId } = await client.post('batches', { ...plan, digest, reason });
  await until(async () => (await client.get('batches/:id', { id: batchId })).state === 'applied');
  return batchId;
}

/** Waits until it is undone. */
export async function undoBatch(client: OperatorClient, batchId: string, reason: string): Promise<void> {
  await client.post('batches/:id/undo', { id: batchId, reason });
  await until(async () => (await client.get('batches/:id', { id: batchId })).state === 'undone');
}
