import { z } from 'zod';
import { openCasesAbout, openCaseShape } from '../../../projections/cases/waiting-cases.read-model.js';
import type { OpenCase } from '../../../projections/cases/waiting-cases.read-model.js';
import type { Recusals } from '../../commands/support/recusals.js';
import { batchKinds } from '../../domain/batch/events.js';
import type { BatchApplied, BatchEvent, BatchUndone } from '../../domain/batch/events.js';
import type { Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';
import type { ActServices } from '../desk/services.js';
import { SAMPLED } from '../desk/sample.js';
import { listOf } from '../desk/schemas.js';
import { identities } from '../desk/who.js';
import { operatorNames } from '../desk/identity/operator-names.js';

/** `done`: items of the current state that are through. Times in Unix milliseconds. */
export const listedBatch = z.strictObject({
  batchId: z.string(),
  kind: z.enum(batchKinds),
  appId: z.string().nullable(),
  items: z.number(),
  done: z.number(),
  state: z.enum(['applying', 'applied', 'undoing', 'undone']),
  operatorId: z.string().nullable(),
  /** Null: the log does not know the operator. */
  operatorName: z.string().nullable(),
  reason: z.string().nullable(),
  requestedAt: z.number(),
});

export type ListedBatch = z.infer<typeof listedBatch>;

const outcome = z.strictObject({ changed: z.number(), skipped: listOf(z.string()) });

/**
 * `recused`: those of the skipped items that its operator had to leave to others. `openCases`: of its items, once it is applied; one more
 * than a page shows.
 */
export const shownBatch = listedBatch.extend({
  applied: outcome.extend({ recused: listOf(z.string()) }).nullable(),
  undo: listedBatch
    .pick({ operatorId: true, operatorName: true, reason: true, requestedAt: true })
    .nullable(),
  undone: outcome.nullable(),
  openCases: listOf(openCaseShape),
});

export type BatchStatus = z.infer<typeof shownBatch>;

const LISTED = 50;

const columns = `json_build_object('batchId', batch_id, 'kind', kind, 'appId', app_id, 'items', items, 'done', done,
  'state', state, 'operatorId', operator_id, 'operatorName', operator.name, 'reason', reason,
  'requestedAt', requested_at) AS listed
  FROM authority.batch LEFT JOIN authority.operator USING (operator_id)`;

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
  { store, log, recusals, pool }: Pick<ActServices, 'store' | 'log' | 'recusals' | 'pool'>,
  batchId: string,
): Promise<BatchStatus | undefined> {
  const text = `SELECT ${columns} WHERE batch_id = $1`;
  const [row] = await store.rows<{ listed: ListedBatch }>({ name: 'batch', text }, [batchId]);
  if (!row) return undefined;
  // Not the first event, which has all items.
  const recorded = await log.read(streams.batch(batchId), { from: 1n });
  const find = <Type extends 'batch.applied' | 'batch.undone'>(type: Type) =>
    recorded.find(({ event }) => event.type === type) as
      | Recorded<Extract<BatchEvent, { type: Type }>>
      | undefined;
  const outcomeOf = ({ event: { data } }: Recorded<BatchApplied | BatchUndone>) => ({
    changed: data.changed,
    skipped: data.skipped,
  });
  const [applied, undone] = [find('batch.applied'), find('batch.undone')];
  return {
    ...row.listed,
    applied: applied
      ? { ...outcomeOf(applied), recused: await recusedOf(recusals, row.listed, applied) }
      : null,
    undo: await undoRequestIn(store, recorded),
    undone: undone ? outcomeOf(undone) : null,
    openCases: row.listed.state === 'applied' ? await openCasesOf({ log, pool }, batchId) : [],
  };
}

async function openCasesOf(
  { log, pool }: Pick<ActServices, 'log' | 'pool'>,
  batchId: string,
): Promise<readonly OpenCase[]> {
  const [requested] = await log.read(streams.batch(batchId), { limit: 1 });
  if (requested?.event.type !== 'batch.requested') return [];
  const { kind, items } = requested.event.data;
  return openCasesAbout(pool, kind, items, SAMPLED + 1);
}

/** The event has no reasons: the cases tell, as they were when the batch was finished. */
function recusedOf(
  recusals: Recusals,
  { kind, operatorId }: ListedBatch,
  { event, position }: Recorded<BatchApplied>,
): Promise<readonly string[]> {
  return recusals.ofItems(kind, event.data.skipped, { operatorId: operatorId ?? undefined }, position);
}

async function undoRequestIn(
  store: AuthorityStore,
  recorded: readonly Recorded[],
): Promise<BatchStatus['undo']> {
  const found = recorded.find(({ event }) => event.type === 'batch.undo_requested');
  if (!found) return null;
  const { operatorId = null, reason = null } = found.metadata;
  const names = { ...identities, ...(await operatorNames(store, [operatorId])) };
  const operatorName = (operatorId !== null && names[operatorId]) || null;
  return { operatorId, operatorName, reason, requestedAt: found.event.data.at };
}
