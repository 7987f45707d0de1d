import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SHARED_TOKEN } from '../../src/domain/operator/roles.js';
import { streams } from '../../src/log/streams.js';
import type { Seat } from '../support/desk.js';
import { caseDesks } from './support/case-desk.js';

const at = caseDesks();

const claim = (by: Seat, id: string) => by.post('cases/:id/claim', { id });
const reopen = (by: Seat, id: string) => by.post('cases/:id/reopen', { id, reason: 'once more' });
const restrict = (by: Seat, id: string) => by.post('posts/:id/restrict', { id, reason: 'spam' });
const suspend = (by: Seat, id: string) => by.post('accounts/:id/suspend', { id, reason: 'spam' });
const recusalOf = async (by: Seat, id: string) => (await by.get('cases/:id', { id })).recusal;

const left = /another operator must (rule on the appeal|decide it anew).*\(not_owner\)/;
const unproven = /the shared token does not prove.*\(not_owner\)/;

describe.each(['appealed', 'overturned'] as const)('a decision that is %s', (prepare) => {
  it('is not defeated by who made it: not by a case, by hand, or with the shared token', async () => {
    const { desk, grace, hedy } = at();
    const { actorId, postId, caseId } = await at()[prepare]();
    for (const act of [
      () => reopen(grace, caseId),
      () => claim(grace, caseId),
      () => restrict(grace, postId),
      () => suspend(grace, actorId),
    ])
      await expect(act()).rejects.toThrow(left);
    await expect(restrict(desk.shared, postId)).rejects.toThrow(unproven);
    await expect(suspend(desk.shared, actorId)).rejects.toThrow(unproven);
    expect(await recusalOf(grace, caseId)).toContain('another operator must');
    expect(await recusalOf(hedy, caseId)).toBeNull();
    expect(await suspend(hedy, actorId)).toMatchObject({ changed: true });
  });

  it('is not defeated by a batch: the preview names the account, and the batch skips it', async () => {
    const { desk, grace } = at();
    const { actorId } = await at()[prepare]();
    const other = await desk.account();
    const plan = { kind: 'accounts', actorIds: [actorId, other] } as const;
    expect(await grace.post('batches/preview', plan)).toMatchObject({
      items: 2,
      recused: [actorId],
    });
    const batchId = await at().batch('accounts', plan.actorIds, grace.operatorId);
    const outcome = { changed: 1, skipped: [actorId], recused: [actorId] };
    expect(await at().outcomeOf(batchId)).toEqual(outcome);
    expect(await at().isHidden({ actorId: other })).toBe(true);
    expect(await at().isHidden({ actorId })).toBe(false);
  });
});

describe('after an overturn', () => {
  it('a new report reopens the case for others, and their decision frees who decided first', async () => {
    const { grace, hedy } = at();
    const { postId, caseId } = await at().overturned();
    await at().report({ postId });
    await expect(claim(grace, caseId)).rejects.toThrow(left);
    await at().decide(hedy, caseId, []);
    await reopen(grace, caseId);
    await at().decide(grace, caseId, ['restrict_post']);
    expect(await at().isHidden({ postId })).toBe(true);
  });

  it('a batch of posts skips the post, and its status says so, also after the next decision', async () => {
    const { desk, grace, hedy } = at();
    const { actorId, postId, caseId } = await at().overturned();
    const other = await desk.post(actorId);
    const batchId = await at().batch('posts', [postId, other], grace.operatorId);
    const outcome = { changed: 1, skipped: [postId], recused: [postId] };
    expect(await at().outcomeOf(batchId)).toEqual(outcome);
    expect([await at().isHidden({ postId }), await at().isHidden({ postId: other })]).toEqual([false, true]);
    await at().report({ postId });
    await at().decide(hedy, caseId, []);
    expect(await at().outcomeOf(batchId)).toEqual(outcome);
  });

  it('a batch with the shared token skips the account', async () => {
    const { actorId } = await at().overturned(['suspend_actor']);
    const batchId = await at().batch('accounts', [actorId], SHARED_TOKEN);
    expect(await at().outcomeOf(batchId)).toEqual({ changed: 0, skipped: [actorId], recused: [actorId] });
  });

  it('a case about the person is left to others, too, as far as it would suspend them', async () => {
    const { grace } = at();
    const { actorId } = await at().overturned();
    const caseId = await at().report({ actorId });
    await expect(at().decide(grace, caseId, ['suspend_actor'])).rejects.toThrow(left);
    await at().decide(grace, caseId, []);
  });

  it('of a suspension in a case about the person, their posts are left to others, by hand and in a batch', async () => {
    const { desk, grace, hedy } = at();
    const actorId = await desk.account();
    const postId = await desk.post(actorId);
    const caseId = await at().report({ actorId });
    await at().decide(grace, caseId, ['suspend_actor']);
    await at().appeal(caseId);
    await expect(restrict(grace, postId)).rejects.toThrow(left);
    await at().overturn(caseId);
    await expect(restrict(grace, postId)).rejects.toThrow(left);
    const batchId = await at().batch('posts', [postId], grace.operatorId);
    expect(await at().outcomeOf(batchId)).toEqual({ changed: 0, skipped: [postId], recused: [postId] });
    expect(await at().isHidden({ postId })).toBe(false);
    expect(await restrict(hedy, postId)).toMatchObject({ changed: true });
  });

  it('of a suspension in a case about the person, no other case suspends them for who decided that', async () => {
    const { desk, grace } = at();
    const actorId = await desk.account();
    const postId = await desk.post(actorId);
    const caseId = await at().report({ actorId });
    await at().decide(grace, caseId, ['suspend_actor']);
    await at().appeal(caseId);
    await at().overturn(caseId);
    const ofPost = await at().report({ postId });
    await expect(at().decide(grace, ofPost, ['restrict_post', 'suspend_actor'])).rejects.toThrow(left);
    await at().decide(grace, ofPost, ['restrict_post']);
    expect(await at().isHidden({ actorId })).toBe(false);
  });
});

describe('who approved a decision', () => {
  it('leaves it to others like who made it', async () => {
    const { desk, grace, hedy } = at();
    const { actorId, postId, caseId } = await at().newCase();
    await claim(grace, caseId);
    const approvalId = randomUUID();
    const [{ operatorId }, digest] = [grace, 'd'];
    const request = { approvalId, operatorId, act: 'case.decide', digest, content: '', expiresAt: 9, at: 1 };
    const given = { approvalId, operatorId: hedy.operatorId, digest, at: 2 };
    await desk.given(
      streams.approval(approvalId),
      { type: 'approval.requested', data: request },
      { type: 'approval.given', data: given },
    );
    const past = await desk.log.read(streams.case(caseId));
    const seen = { seenEventIds: [], networkRevision: Number(past.at(-1)?.position) };
    const decision = { decisionId: randomUUID(), outcome: 'violation', effects: [], notice: '' } as const;
    const data = { caseId, postId, targetActorId: actorId, ...seen, ...decision, operatorId, at: 3 };
    await desk.log.append({
      stream: streams.case(caseId),
      expected: past.at(-1)!.revision,
      events: [{ id: randomUUID(), event: { type: 'case.decided', data } }],
      metadata: { requestId: 'test', operatorId, cause: streams.approval(approvalId) },
    });
    await at().appeal(caseId);
    for (const by of [grace, hedy]) {
      await expect(claim(by, caseId)).rejects.toThrow(left);
      await expect(restrict(by, postId)).rejects.toThrow(left);
    }
    const third = await desk.enroll(['moderator']);
    await claim(third, caseId);
    await third.post('cases/:id/appeal/overturn', { id: caseId, reason: 'no spam' });
    await expect(reopen(hedy, caseId)).rejects.toThrow(left);
  });
});
