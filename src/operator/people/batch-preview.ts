import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  newestPostChange,
  visiblePostsOf,
} from '../../../projections/audit/posts-of-application.read-model.js';
import { openCaseShape } from '../../../projections/cases/waiting-cases.read-model.js';
import { MAX_BATCH_ITEMS } from '../../domain/batch/batch.js';
import { batchKinds } from '../../domain/batch/events.js';
import type { BatchKind } from '../../domain/batch/events.js';
import { HttpRefusal } from '../../server/errors.js';
import { readPublicationState } from '../../../projections/incarnations/recovery-state.js';
import { readNewest } from '../../log/read-newest.js';
import { applicationName } from '../desk/applications.js';
import { auditProgress, waitForAudit } from '../audit/progress.js';
import { sampledItem } from '../desk/sample.js';
import { listOf } from '../desk/schemas.js';
import type { ActServices } from '../desk/services.js';

export type BatchPlan =
  | { readonly kind: 'posts'; readonly appId: string; readonly from: number; readonly until: number }
  | { readonly kind: 'accounts'; readonly actorIds: readonly string[] };

/**
 * `first`: ids of those in `sample`. `left`: accounts of the list that are suspended already, erased or unknown. `openCases`: of its
 * items, one more than a page shows.
 */
export const shownPreview = z.strictObject({
  kind: z.enum(batchKinds),
  items: z.number(),
  first: listOf(z.string()),
  sample: listOf(sampledItem),
  openCases: listOf(openCaseShape),
  left: listOf(z.string()),
  recused: listOf(z.string()),
  digest: z.string(),
  from: z.number().optional(),
  until: z.number().optional(),
});

export type ShownPreview = z.infer<typeof shownPreview>;

/** `digest`: of the kind and all items. `left`: accounts of the list that are suspended already, erased or unknown. */
export interface BatchPreview {
  readonly kind: BatchKind;
  readonly items: readonly string[];
  readonly left: readonly string[];
  readonly digest: string;
}

const WAIT_MS = 10_000;

type Stores = Pick<ActServices, 'pool' | 'log' | 'store' | 'positions'>;

/**
 * Returns what a batch would change now.
 * @throws {HttpRefusal} `not_found`: there is no such application; `protected_read_unavailable`: audit or read models do not show the whole log yet;
 * `domain_plan_too_large`.
 */
export async function previewOf(stores: Stores, plan: BatchPlan): Promise<BatchPreview> {
  const items = plan.kind === 'posts' ? await postsOf(stores, plan) : await activeAccounts(stores, plan);
  if (items.length > MAX_BATCH_ITEMS)
    throw new HttpRefusal(
      'domain_plan_too_large',
      `One batch has at most ${MAX_BATCH_ITEMS} items, and this window has more: choose a shorter one.`,
    );
  const found = new Set(items);
  const left = plan.kind === 'posts' ? [] : plan.actorIds.filter((id) => !found.has(id));
  const digest = createHash('sha256')
    .update(JSON.stringify([plan.kind, items]))
    .digest('hex');
  return { kind: plan.kind, items, left, digest };
}

async function postsOf(
  { pool, log, store, positions }: Stores,
  window: Extract<BatchPlan, { kind: 'posts' }>,
): Promise<readonly string[]> {
  if ((await applicationName(store, window.appId)) === null)
    throw new HttpRefusal('not_found', 'There is no such application.');
  const head =
    (await readNewest(
      log,
      () => log.head(),
      () => false,
    )) ?? 0n;
  await waitForAudit({ log, positions }, WAIT_MS);
  const { position } = await auditProgress(pool, log);
  // The read models keep no position of events that change nothing in them.
  const change = (await newestPostChange(pool)) ?? 0n;
  await positions.waitFor(change, WAIT_MS);
  const published = await readPublicationState(pool);
  if (!published || BigInt(position ?? 0) < head || (published.appliedPosition ?? 0n) < change)
    throw new HttpRefusal(
      'protected_read_unavailable',
      'The audit or the read models do not show the whole log yet: see plaza projections status, then retry.',
    );
  return visiblePostsOf(pool, published.schemaName, window, MAX_BATCH_ITEMS + 1);
}

async function activeAccounts(
  { store }: Stores,
  { actorIds }: Extract<BatchPlan, { kind: 'accounts' }>,
): Promise<readonly string[]> {
  const rows = await store.rows<{ actor_id: string }>(
    {
      name: 'active-accounts',
      text: `SELECT actor_id FROM authority.account WHERE actor_id = ANY ($1) AND state = 'active'
        ORDER BY actor_id COLLATE "C"`,
    },
    [actorIds],
  );
  return rows.map(({ actor_id: actorId }) => actorId);
}
