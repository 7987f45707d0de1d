import { describe, expect, it } from '@jest/globals';
import { streams } from '../../src/log/streams.js';
import { some } from '../projections/support/recorded.js';
import type { Seat } from '../support/desk.js';
import { caseDesks } from './support/case-desk.js';

const at = caseDesks();

const claim = async (by: Seat, id: string) => (await by.post('cases/:id/claim', { id })).case!;
const show = (by: Seat, id: string) => by.get('cases/:id', { id });
const reopen = (by: Seat, id: string) => by.post('cases/:id/reopen', { id, reason: 'look again' });
const clear = (by: Seat, id: string) =>
  by.post('cases/:id/decide', { id, outcome: 'no_violation', effects: [], reason: 'fine' });
const rule = (by: Seat, verb: 'uphold' | 'overturn', id: string, decisionId?: string) =>
  by.post(`cases/:id/appeal/${verb}`, { id, decisionId, reason: 'x' });
const listed = async (by: Seat, caseId: string) =>
  (await by.get('cases', { state: 'all' })).cases.find((each) => each.caseId === caseId);

const eventsOf = (caseId: string) => at().desk.log.read(streams.case(caseId));
const typesOf = async (caseId: string) => (await eventsOf(caseId)).map(({ event }) => event.type);

describe('a report', () => {
  it('of an actor makes a case of the actor, which shows their profile to its claimer', async () => {
    const { desk, grace } = at();
    const actorId = await desk.account();
    const caseId = await at().report({ actorId }, 'always he');
    expect(caseId).toBe(`actor-${actorId}`);
    const shown = await claim(grace, caseId);
    expect(shown).toMatchObject({ post: null, reports: { total: 1, newest: [{ text: 'always he' }] } });
    expect(shown.profile?.text).toContain(`The ${actorId}`);
  });
});

describe('a claim', () => {
  it('of two operators at the same time is one’s, and the other is refused', async () => {
    const { grace, hedy } = at();
    const { caseId } = await at().newCase();
    const claims = await Promise.allSettled([grace, hedy].map((by) => claim(by, caseId)));
    expect(claims.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(String(claims.find((each) => each.status === 'rejected')?.reason)).toContain(
      '(revision_conflict)',
    );
    expect((await typesOf(caseId)).filter((type) => type === 'case.claimed')).toHaveLength(1);
  });

  it('shows the texts to the claimer while it lasts, also of a deleted post, and records which', async () => {
    const { desk, grace, hedy } = at();
    const { actorId, postId, caseId } = await at().newCase();
    await desk.given(streams.post(postId), some.deletion(postId, { authorActorId: actorId }));
    const text = `text of ${postId}`;
    expect(JSON.stringify(await show(hedy, caseId))).not.toContain(text);
    const shown = await claim(grace, caseId);
    expect(shown.post).toMatchObject({ status: 'deleted', versions: [{ text }] });
    expect(shown.reports.newest).toMatchObject([{ text: 'a report', reporterActorId: 'ada' }]);
    const disclosed = (await eventsOf(caseId)).filter(({ event }) => event.type === 'case.disclosed');
    const eventIds = [shown.post, ...shown.reports.newest, shown.profile].map(
      (each) => each && ('versions' in each ? each.versions[0]?.eventId : each.eventId),
    );
    expect(disclosed).toMatchObject([
      {
        event: { data: { eventIds: expect.arrayContaining(eventIds) } },
        metadata: { operatorId: grace.operatorId },
      },
    ]);
    expect((await show(grace, caseId)).post?.versions).toHaveLength(1);
    expect((await typesOf(caseId)).filter((type) => type === 'case.disclosed')).toHaveLength(1);
    for (const other of [hedy, await desk.enroll(['auditor'])])
      expect(JSON.stringify(await show(other, caseId))).not.toContain(text);
    await hedy.post('cases/:id/release', { id: caseId, reason: 'she is away' });
    expect(JSON.stringify(await show(grace, caseId))).not.toContain(text);
  });

  it('of another operator is named to who comes late', async () => {
    const { grace, hedy } = at();
    const { caseId } = await at().newCase();
    await claim(grace, caseId);
    await expect(claim(hedy, caseId)).rejects.toThrow(`Operator ${grace.operatorId} has claimed this case`);
    await expect(clear(hedy, caseId)).rejects.toThrow(`operator ${grace.operatorId} has claimed it`);
  });

  it('shows reports by reason, and what was decided about the person in other cases', async () => {
    const { grace } = at();
    const { actorId, postId, caseId } = await at().newCase();
    await at().report({ postId });
    await at().decide(grace, caseId, ['restrict_post']);
    const other = await at().report({ actorId });
    const shown = await claim(grace, other);
    expect(shown.reports.byReason).toEqual({ spam: 1 });
    expect(shown.evidence.decidedBefore).toMatchObject([
      { caseId, outcome: 'violation', effects: ['restrict_post'], appeal: 'none' },
    ]);
    expect((await show(grace, caseId)).reports.byReason).toEqual({ spam: 2 });
    expect((await show(grace, caseId)).evidence.decidedBefore).toEqual([]);
  });

  it('needs a personal token and the role: the shared token and an auditor are refused', async () => {
    const { desk } = at();
    const { caseId } = await at().newCase();
    for (const by of [desk.shared, await desk.enroll(['auditor'])])
      await expect(claim(by, caseId)).rejects.toThrow('(capability_required)');
    expect((await show(desk.shared, caseId)).state).toBe('open');
  });
});

describe('a decision', () => {
  it('restricts the post with the case as its cause, once, and closes the case', async () => {
    const { grace, desk } = at();
    const { postId, caseId } = await at().newCase();
    await at().decide(grace, caseId, ['restrict_post']);
    const { decisions } = await show(grace, caseId);
    expect(decisions).toMatchObject([{ operatorId: grace.operatorId, execution: 'applied', appeal: 'none' }]);
    const [{ decisionId } = { decisionId: '' }] = decisions;
    expect((await desk.log.read(streams.post(postId))).slice(1)).toMatchObject([
      {
        event: { type: 'post.restricted' },
        metadata: {
          cause: streams.case(caseId),
          decisionId,
          operatorId: grace.operatorId,
          reason: 'spam',
        },
      },
    ]);
    expect(await listed(grace, caseId)).toMatchObject({ outcome: 'violation', decidedBy: grace.operatorId });
    await expect(clear(grace, caseId)).rejects.toThrow('(revision_conflict)');
  });

  it('suspends the author, and a second one does not undo what somebody did meanwhile', async () => {
    const { grace, hedy } = at();
    const { actorId, caseId } = await at().newCase();
    await at().decide(grace, caseId, ['suspend_actor']);
    expect(await at().isHidden({ actorId })).toBe(true);
    await hedy.post('accounts/:id/reinstate', { id: actorId, reason: 'a mistake' });
    await reopen(grace, caseId);
    await at().decide(hedy, caseId, []);
    expect(await at().isHidden({ actorId })).toBe(false);
  });

  it('needs the claim', async () => {
    const { grace, hedy } = at();
    const { caseId } = await at().newCase();
    await expect(clear(grace, caseId)).rejects.toThrow('(not_owner)');
    await claim(hedy, caseId);
    await expect(clear(grace, caseId)).rejects.toThrow('(not_owner)');
    await clear(hedy, caseId);
  });

  it('holds the events that were seen; a report that it did not see reopens the case', async () => {
    const { grace, hedy, desk } = at();
    const { postId, caseId } = await at().newCase();
    const shown = await claim(grace, caseId);
    await at().report({ postId }, 'and again');
    expect((await show(hedy, caseId)).reports.total).toBe(2);
    await clear(grace, caseId);
    await desk.follow();
    const events = (await eventsOf(caseId)).map(({ event }) => event);
    expect(events.find(({ type }) => type === 'case.decided')?.data).toMatchObject({
      seenEventIds: expect.arrayContaining([shown.reports.newest[0]?.eventId]),
      networkRevision: shown.networkRevision,
    });
    expect(events.at(-1)?.type).toBe('case.reopened');
    const { isOpen, reports } = await show(hedy, caseId);
    expect([isOpen, reports.newest.map(({ isClosed }) => isClosed)]).toEqual([true, [false, true]]);
  });

  it('leaves no texts to read once the key of the person is destroyed', async () => {
    const { grace, desk } = at();
    const { actorId, caseId } = await at().newCase();
    await claim(grace, caseId);
    await grace.post('cases/:id/notes', { id: caseId, note: 'seen before' });
    const noted = async () => (await show(grace, caseId)).history.find(({ type }) => type === 'case.noted');
    expect(await noted()).toMatchObject({ text: 'seen before', erased: false });
    expect(JSON.stringify(await show(at().hedy, caseId))).not.toContain('seen before');
    const admin = await desk.enroll(['administrator']);
    await admin.post('accounts/:id/erase', { id: actorId, reason: 'asked for' });
    expect(await noted()).toMatchObject({ text: '', erased: true });
  });
});

describe('an appeal', () => {
  it('is not ruled on by who decided, also under another of their tokens, nor with the shared one', async () => {
    const { grace, desk } = at();
    const { caseId } = await at().appealed();
    const { token } = await grace.post('own/tokens', { label: 'second' });
    for (const own of [grace, desk.seatOf(token)])
      for (const act of [
        () => claim(own, caseId),
        () => rule(own, 'uphold', caseId),
        () => rule(own, 'overturn', caseId),
      ])
        await expect(act()).rejects.toThrow(/another operator must rule on the appeal.*\(not_owner\)/);
    await expect(rule(desk.shared, 'uphold', caseId)).rejects.toThrow('(capability_required)');
    expect((await show(grace, caseId)).state).toBe('appealed');
  });

  it('needs the claim, and is ruled on once', async () => {
    const { hedy } = at();
    const { postId, caseId } = await at().appealed();
    await expect(rule(hedy, 'overturn', caseId)).rejects.toThrow('(not_owner)');
    await at().overturn(caseId);
    expect(await at().isHidden({ postId })).toBe(false);
    await expect(rule(hedy, 'uphold', caseId)).rejects.toThrow('(revision_conflict)');
  });

  it('that is upheld keeps the effect', async () => {
    const { hedy } = at();
    const { postId, caseId } = await at().appealed();
    await claim(hedy, caseId);
    await rule(hedy, 'uphold', caseId);
    expect(await at().isHidden({ postId })).toBe(true);
    expect((await show(hedy, caseId)).decisions).toMatchObject([{ appeal: 'upheld', execution: 'applied' }]);
  });

  it('that is overturned leaves what somebody did since', async () => {
    const { hedy } = at();
    const { postId, caseId } = await at().appealed();
    const change = { id: postId, reason: 'a court order' };
    await hedy.post('posts/:id/unrestrict', change);
    await hedy.post('posts/:id/restrict', change);
    await at().overturn(caseId);
    expect(await at().isHidden({ postId })).toBe(true);
    expect(await show(hedy, caseId)).toMatchObject({
      decisions: [{ execution: 'undone' }],
      hiddenBy: [{ of: 'post', operatorId: hedy.operatorId, cause: null }],
    });
  });

  it('that is overturned leaves what an operator restricted besides', async () => {
    const { desk } = at();
    const { postId, caseId } = await at().newCase();
    await at().decide(at().grace, caseId, ['restrict_post']);
    const restrict = () => desk.shared.post('posts/:id/restrict', { id: postId, reason: 'x' });
    expect([await restrict(), await restrict()]).toMatchObject([{ changed: true }, { changed: false }]);
    await at().appeal(caseId);
    await at().overturn(caseId);
    expect(await at().isHidden({ postId })).toBe(true);
  });

  it('that is overturned leaves the effect that a later decision has, too, until that is overturned', async () => {
    const { hedy, desk } = at();
    const { postId, caseId } = await at().appealed();
    await reopen(hedy, caseId);
    await at().decide(await desk.enroll(['moderator']), caseId, ['restrict_post']);
    await at().overturn(caseId);
    expect(await at().isHidden({ postId })).toBe(true);
    await at().appeal(caseId);
    await at().overturn(caseId);
    expect(await at().isHidden({ postId })).toBe(false);
  });

  it('is ruled on by its decision, where appeals against two decisions wait', async () => {
    const { grace, hedy } = at();
    const { caseId } = await at().newCase();
    await at().decide(grace, caseId, ['restrict_post']);
    const [first] = (await show(grace, caseId)).decisions;
    await at().appeal(caseId);
    await reopen(hedy, caseId);
    await at().decide(await at().desk.enroll(['moderator']), caseId, ['restrict_post']);
    await at().appeal(caseId);
    await claim(hedy, caseId);
    await expect(rule(hedy, 'overturn', caseId)).rejects.toThrow('name the decision');
    await expect(rule(hedy, 'overturn', caseId, 'another')).rejects.toThrow('(revision_conflict)');
    await rule(hedy, 'overturn', caseId, first?.decisionId);
    const { decisions } = await show(grace, caseId);
    expect(decisions.map(({ appeal }) => appeal)).toEqual(['overturned', 'waiting']);
  });

  it('that is overturned leaves a suspension that another case has, too, until that is overturned', async () => {
    const { grace } = at();
    const { actorId, caseId } = await at().newCase();
    const other = await at().report({ actorId });
    for (const each of [caseId, other]) await at().decide(grace, each, ['suspend_actor']);
    const isSuspended: boolean[] = [];
    for (const each of [caseId, other]) {
      await at().appeal(each);
      await at().overturn(each);
      isSuspended.push(await at().isHidden({ actorId }));
    }
    expect(isSuspended).toEqual([true, false]);
  });

  it.each([['overturn', 'undo'] as const, ['undo', 'overturn'] as const])(
    'and the batch that suspended the person before: the suspension ends with the second of %s and %s',
    async (...order) => {
      const { grace, hedy } = at();
      const { actorId, caseId } = await at().newCase();
      const batchId = await at().batch('accounts', [actorId], hedy.operatorId);
      await at().decide(grace, caseId, ['suspend_actor']);
      await at().appeal(caseId);
      const lift = { overturn: () => at().overturn(caseId), undo: () => at().undo(batchId) };
      const isSuspended: boolean[] = [];
      for (const each of order) {
        await lift[each]();
        isSuspended.push(await at().isHidden({ actorId }));
      }
      expect(isSuspended).toEqual([true, false]);
    },
  );

  it('that is overturned lets the undo of an earlier batch of posts show the post again', async () => {
    const { grace, hedy } = at();
    const { postId, caseId } = await at().newCase();
    const batchId = await at().batch('posts', [postId], hedy.operatorId);
    await at().decide(grace, caseId, ['restrict_post']);
    await at().appeal(caseId);
    await at().overturn(caseId);
    expect(await at().isHidden({ postId })).toBe(true);
    await at().undo(batchId);
    expect(await at().isHidden({ postId })).toBe(false);
  });

  it('waits where there is no other moderator, and the queue and the case say so', async () => {
    const { grace, hedy, desk } = at();
    const { caseId } = await at().appealed();
    const hasOther = async () =>
      [await listed(grace, caseId), await show(grace, caseId)].map((each) => each?.hasOtherOperator);
    expect(await hasOther()).toEqual([true, true]);
    const admin = await desk.enroll(['administrator']);
    const { operatorId: id } = hedy;
    await admin.post('operators/:id/suspend', { id, reason: 'left' });
    expect(await hasOther()).toEqual([false, false]);
  });
});
