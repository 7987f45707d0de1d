import { expect, it } from '@jest/globals';
import { countOldCases } from '../../projections/cases/waiting-cases.read-model.js';
import { readConfig } from '../../src/base/config/config.js';
import { systemIds } from '../../src/base/support/id-generator.js';
import type { ReportReason } from '../../src/domain/report/report-reasons.js';
import { streams } from '../../src/log/streams.js';
import { some } from '../projections/support/recorded.js';
import { caseDesks } from './support/case-desk.js';

const at = caseDesks();
const HOUR_MS = 60 * 60_000;

/** Somebody reported the account for each of these reasons. */
async function reportedFor(...reasons: readonly ReportReason[]): Promise<string> {
  const { desk } = at();
  const targetActorId = await desk.account();
  for (const reason of reasons) {
    const reportId = systemIds.random();
    await desk.given(
      streams.report(reportId),
      some.report(reportId, { targetActorId, postId: undefined, reason }),
    );
  }
  await desk.follow();
  return `actor-${targetActorId}`;
}

it('are old from the target age of their gravest reason on, until they are decided', async () => {
  const { desk, grace } = at();
  const { caseTargetHours } = readConfig({ CASE_TARGET_HOURS: 'critical=4,high=8,low=100' });
  const { pool, clock } = desk.services;
  const old = () => countOldCases(pool, caseTargetHours, clock.now());
  const illegal = await reportedFor('spam', 'illegal');
  await reportedFor('harassment');
  await reportedFor('spam');
  await reportedFor('other');
  expect(await old()).toEqual({ low: 0, medium: 0, high: 0, critical: 0 });
  desk.advance(5 * HOUR_MS);
  expect(await old()).toEqual({ low: 0, medium: 0, high: 0, critical: 1 });
  desk.advance(4 * HOUR_MS);
  await reportedFor('illegal');
  await grace.post('cases/:id/claim', { id: illegal });
  expect(await old()).toEqual({ low: 0, medium: 0, high: 1, critical: 1 });
  await grace.post('cases/:id/decide', { id: illegal, outcome: 'no_violation', effects: [], reason: 'fine' });
  desk.advance(200 * HOUR_MS);
  expect(await old()).toEqual({ low: 1, medium: 1, high: 1, critical: 1 });
});

it('about the items of a batch are named by it, once it is applied, and while nobody has decided them', async () => {
  const { desk, grace, hedy } = at();
  const { actorId, postId, caseId } = await at().newCase();
  const ofAccount = await at().report({ actorId });
  const silent = await desk.account();
  const posts = await at().batch('posts', [postId], grace.operatorId);
  const accounts = await at().batch('accounts', [actorId, silent], grace.operatorId);
  const casesOf = async (id: string) =>
    (await hedy.get('batches/:id', { id })).openCases.map((each) => each.caseId);
  expect(await casesOf(posts)).toEqual([caseId]);
  expect(await casesOf(accounts)).toEqual([caseId, ofAccount]);
  const plan = { kind: 'accounts', actorIds: [silent, actorId] } as const;
  expect(await hedy.post('batches/preview', plan)).toMatchObject({ left: [silent, actorId], openCases: [] });
  await hedy.post('cases/:id/claim', { id: caseId });
  await hedy.post('cases/:id/decide', { id: caseId, outcome: 'no_violation', effects: [], reason: 'done' });
  expect(await casesOf(posts)).toEqual([]);
  await at().undo(accounts);
  expect(await casesOf(accounts)).toEqual([]);
  expect(await hedy.post('batches/preview', plan)).toMatchObject({
    items: 2,
    openCases: [{ caseId: ofAccount, targetActorId: actorId }],
  });
});
