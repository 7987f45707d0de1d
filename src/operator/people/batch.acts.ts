import { z } from 'zod';
import { openCasesAbout } from '../../../projections/cases/waiting-cases.read-model.js';
import { ChangeBatch } from '../../commands/batch/change-batch.js';
import { MAX_BATCH_ACTORS } from '../../domain/batch/batch.js';
import { batchKinds } from '../../domain/batch/events.js';
import type { BatchRequested } from '../../domain/batch/events.js';
import { HttpRefusal } from '../../server/errors.js';
import { readNewest } from '../../log/read-newest.js';
import { streams } from '../../log/streams.js';
import { beginOf, endOf, TIME_HELP } from '../audit/time.js';
import { previewOf, shownPreview } from './batch-preview.js';
import type { BatchPlan } from './batch-preview.js';
import { batchStatus, listedBatch, newestBatches, shownBatch } from './batch-status.js';
import { batchesPage, batchPage, isBatchRunning, previewPage } from './pages/batches.page.js';
import { ABOVE_ALLOWANCE, act, Answer } from '../desk/act.js';
import { batchWords, firstItems } from './batch-words.js';
import { operatorIdOf } from '../desk/caller.js';
import type { FormFields } from '../desk/page.js';
import type { ActServices } from '../desk/services.js';
import { SAMPLED, sampleOf } from '../desk/sample.js';
import { identifier, idIn, listOf } from '../desk/schemas.js';

const id = z.string().regex(identifier, 'must be an identifier of the network');
const time = z.string().max(64);

const plan = z.strictObject({
  kind: z.enum(batchKinds),
  appId: id.optional(),
  from: time.optional(),
  until: time.optional(),
  actorIds: z.array(id).max(MAX_BATCH_ACTORS, `at most ${MAX_BATCH_ACTORS}`).optional(),
});

const PLAN_FIELDS = ['kind', 'appId', 'from', 'until', 'actorIds'] as const;

const actorIdsIn = (form: FormFields) => ({ actorIds: form.text('actorIds')?.split(/\s+/).filter(Boolean) });

const filledIn = (form: FormFields): ReadonlyMap<string, string> =>
  new Map(
    PLAN_FIELDS.map((name) => [name, form.text(name) ?? ''] as const).filter(([, text]) => text !== ''),
  );

export const batchActs = [
  act({
    name: 'batch.preview',
    may: 'batches.run',
    route: 'POST /operator/batches/preview',
    input: plan,
    answer: shownPreview,
    form: { input: actorIdsIn, page: (frame, preview, form) => previewPage(frame, preview, filledIn(form)) },
    run: async (input, { services, caller }) => {
      const asked = planOf(input, services.clock.now());
      const { items, left, ...preview } = await previewOf(services, asked);
      const window = asked.kind === 'posts' ? { from: asked.from, until: asked.until } : {};
      const by = { operatorId: operatorIdOf(caller) };
      const [recused, sample, openCases] = await Promise.all([
        services.recusals.ofItems(preview.kind, items, by),
        sampleOf(services, preview.kind, items),
        openCasesAbout(services.pool, preview.kind, items, SAMPLED + 1),
      ]);
      const first = sample.map(({ id: item }) => item);
      return { ...preview, ...window, items: items.length, first, sample, left, recused, openCases };
    },
  }),
  act({
    name: 'batch.request',
    may: 'batches.run',
    route: 'POST /operator/batches',
    command: 'app restrict-posts',
    reason: 'required',
    input: plan.extend({ digest: z.string().regex(/^[0-9a-f]{64}$/, 'must be the digest of a preview') }),
    answer: shownBatch,
    form: { input: actorIdsIn, to: ({ batchId }) => `/console/batches/${batchId}` },
    approval: {
      when: ABOVE_ALLOWANCE,
      words: batchWords,
      leadsTo: (approvalId) => ({ path: `/console/batches/${approvalId}`, name: 'the batch' }),
      restricts: async ({ digest, ...input }, { services }) =>
        (await exactPreview(services, planOf(input, services.clock.now()), digest)).items.length,
      streamOf: (_params, approvalId) => streams.batch(approvalId),
      isRepeatable: true,
      preview: async ({ digest, ...input }, { services }) => {
        const asked = planOf(input, services.clock.now());
        const { kind, items } = await exactPreview(services, asked, digest);
        const fixed =
          asked.kind === 'posts' ? { from: isoTime(asked.from), until: isoTime(asked.until) } : {};
        const of = asked.kind === 'posts' ? { application: asked.appId, ...fixed } : {};
        const facts = { restricts: kind, ...of, items: items.length, 'digest of the items': digest };
        return {
          facts: { ...facts, ...firstItems(items) },
          // A time ago would be another one once it is approved.
          input: { ...input, ...fixed, digest },
        };
      },
    },
    run: async ({ digest, ...input }, { services, metadata, approvalId }) => {
      const asked = planOf(input, services.clock.now());
      const batchId = approvalId ?? services.ids.random();
      const { kind, items } =
        (approvalId && (await requestedBatch(services, batchId))) ||
        (await exactPreview(services, asked, digest));
      const appId = asked.kind === 'posts' ? asked.appId : undefined;
      const change = { type: 'batch.requested', data: { batchId, kind, items, appId } } as const;
      await services.commands.execute(new ChangeBatch(change, metadata));
      return new Answer(202, await statusOf(services, batchId));
    },
  }),
  act({
    name: 'batch.list',
    may: 'audit.read',
    route: 'GET /operator/batches',
    command: 'batch list',
    answer: listOf(listedBatch),
    page: batchesPage,
    run: (_input, { services: { store } }) => newestBatches(store),
  }),
  act({
    name: 'batch.read',
    may: 'audit.read',
    route: 'GET /operator/batches/:id',
    command: 'batch status',
    answer: shownBatch,
    page: batchPage,
    isUnfinished: isBatchRunning,
    run: (_input, { services, params }) => statusOf(services, idIn(params)),
  }),
  act({
    name: 'batch.undo',
    may: 'batches.run',
    route: 'POST /operator/batches/:id/undo',
    command: 'batch undo',
    reason: 'required',
    answer: shownBatch,
    form: true,
    run: async (_input, { services, params, metadata }) => {
      const batchId = idIn(params);
      await services.commands.execute(
        new ChangeBatch({ type: 'batch.undo_requested', data: { batchId } }, metadata),
      );
      return new Answer(202, await statusOf(services, batchId));
    },
  }),
];

function planOf({ kind, appId, from, until, actorIds }: z.output<typeof plan>, now: number): BatchPlan {
  if (kind === 'accounts') {
    if (!actorIds || actorIds.length === 0)
      throw new HttpRefusal('invalid_request', 'actorIds: must name at least one account');
    return { kind, actorIds: [...new Set(actorIds)] };
  }
  const window = {
    from: from === undefined ? undefined : beginOf(from, now),
    until: until === undefined ? undefined : endOf(until, now),
  };
  if (appId === undefined) throw new HttpRefusal('invalid_request', 'appId: must name an application');
  if (window.from === undefined || window.until === undefined)
    throw new HttpRefusal('invalid_request', `from and until (--from, --until): must be ${TIME_HELP}`);
  if (window.until > now)
    throw new HttpRefusal('invalid_request', 'until (--until): must lie in the past: posts may still come');
  if (window.from >= window.until)
    throw new HttpRefusal('invalid_request', 'from (--from): must be before until');
  return { kind, appId, from: window.from, until: window.until };
}

async function exactPreview(services: ActServices, asked: BatchPlan, digest: string) {
  const preview = await previewOf(services, asked);
  if (preview.digest === digest) return preview;
  throw new HttpRefusal(
    'effect_mismatch',
    `The batch would now change other items than its preview showed: ${preview.items.length}. Look at a new preview.`,
  );
}

/** The batch that a killed process has requested already. */
async function requestedBatch({ log }: ActServices, batchId: string) {
  const [first] = await readNewest(
    log,
    () => log.read(streams.batch(batchId), { limit: 1 }),
    (found) => found.length > 0,
  );
  return first && (first.event as BatchRequested).data;
}

const isoTime = (at: number): string => new Date(at).toISOString();

async function statusOf(services: ActServices, batchId: string) {
  const status = await batchStatus(services, batchId);
  if (!status) throw new HttpRefusal('not_found', 'There is no such batch.');
  return status;
}
