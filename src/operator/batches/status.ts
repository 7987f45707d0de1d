import type { BatchEvent, BatchKind } from '../../domain/batch/events.js';
import type { EventLog } from '../../log/event-log.js';
import { streams } from '../../log/streams.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';

/** `done`: items of the current state that are through. Times in Unix milliseconds. */
export interface ListedBatch {
  readonly batchId: string;
  readonly kind: BatchKind;
  readonly appId: string | null;
  readonly items: number;
  readonly done: number;
  readonly state: 'applying' | 'applied' | 'undoing' | 'undone';
  readonly operatorId: string | null;
  /** Null: the log does not know the operator. */
  readonly operatorName: string | null;
  readonly reason: string | null;
  readonly requestedAt: number;
}

interface Outcome {
  readonly changed: number;
  readonly skipped: readonly string[];
}

export interface BatchStatus extends ListedBatch {
  readonly applied: Outcome | null;
  readonly undone: Outcome | null;
}

const LISTED = 50;

const columns = `json_build_object('batchId', batch_id, 'kind', kind, 'appId', app_id, 'items', items, 'done', done,
  'state', state, 'operatorId', operator_id, 'operatorName', operator.name, 'reason', reason,
  'requestedAt', requested_at) AS listed
  FROM authority.batch LEFT JOIN authority.operator USING (operator_id)`;

/** The newest ones, first. */
export async function newestBatches(store: AuthorityStore): Promise<readonly ListedBatch[]> {
  const text = `SELECT ${columns} ORDER BY requested_at DESC, batch_id LIMIT ${LISTED}`;
  const rows = await store.rows<{ listed: ListedBatch }>({ name: 'batches', text }, []);
  return rows.map(({ listed }) => listed);
}

export async function unfinishedBatches(store: AuthorityStore): Promise<number> {
  const text =
    "SELECT count(*)::integer AS count FROM authority.batch WHERE state IN ('applying', 'undoing')";
  const [row] = await store.rows<{ count: number }>({ name: 'unfinished-batches', text }, []);
  return row?.count ?? 0;
}

/** @throws errors of log and store */
export async function batchStatus(
  store: AuthorityStore,
  log: EventLog,
  batchId: string,
): Promise<BatchStatus | undefined> {
  const text = `SELECT ${columns} WHERE batch_id = $1`;
  const [row] = await store.rows<{ listed: ListedBatch }>({ name: 'batch', text }, [batchId]);
  if (!row) return undefined;
  // Not the first event, which has all items.
  const recorded = await log.read(streams.batch(batchId), { from: 1n });
  const outcome = (type: 'batch.applied' | 'batch.undone'): Outcome | null => {
    const found = recorded.find(({ event }) => event.type === type)?.event as
      Extract<BatchEvent, { type: typeof type }> | undefined;
    return found ? { changed: found.data.changed, skipped: found.data.skipped } : null;
  };
  return { ...row.listed, applied: outcome('batch.applied'), undone: outcome('batch.undone') };
}
