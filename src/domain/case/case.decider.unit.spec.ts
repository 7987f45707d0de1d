import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import { appealDecision, finishEffects, ruleOnAppeal, unfinishedDecisions } from './appeals.js';
import { evolveCase, noCase } from './case.js';
import type { Case, CaseEvent } from './case.js';
import {
  claimCase,
  decideCase,
  discloseCase,
  noteCase,
  openCase,
  releaseCase,
  reopenCase,
} from './handling.js';

const subject = { caseId: 'post-p1', postId: 'p1', targetActorId: 'ada' };
const [grace, hedy] = ['grace', 'hedy'];
const report = { subject, reportId: 'r1', position: 100, at: 1 };
const decision = {
  operatorId: grace,
  decisionId: 'd1',
  outcome: 'violation',
  effects: ['restrict_post'],
  notice: ' It is spam. ',
  at: 4,
} as const;
const appeal = { actorId: 'ada', decisionId: 'd1', appeal: 'It is not.', at: 5 };

const codeOf = (decided: Decision<CaseEvent>) => (decided instanceof Refusal ? decided.code : decided);

/** Decides one act after the other, and applies their events. */
function given(...acts: readonly ((state: Case) => Decision<CaseEvent>)[]): Case {
  return acts.reduce((state: Case, act) => {
    const decided = act(state);
    if (decided instanceof Refusal) throw decided;
    return decided.reduce(evolveCase, state);
  }, noCase);
}

const open = (state: Case) => openCase(state, report);
const claim = (operatorId: string) => (state: Case) => claimCase(state, { operatorId, at: 2 });
const see =
  (operatorId: string, networkRevision: number, ...eventIds: string[]) =>
  (state: Case) =>
    discloseCase(state, { operatorId, eventIds, networkRevision, at: 3 });
const decide = (state: Case) => decideCase(state, decision);
const file = (state: Case) => appealDecision(state, appeal);
const rule = (operatorId: string, ruling: 'upheld' | 'overturned') => (state: Case) =>
  ruleOnAppeal(state, { operatorId, ruling, notice: undefined, at: 6 });

const claimed = [open, claim(grace), see(grace, 100, 'e1')];
const decided = [...claimed, decide];

describe('a case', () => {
  it('is opened once, by the first report', () => {
    const opened = { type: 'case.opened', data: { ...subject, reportId: 'r1', at: 1 } };
    expect(openCase(noCase, report)).toEqual([opened]);
    expect(openCase(given(open), { ...report, reportId: 'r2', position: 200 })).toEqual([]);
  });

  it('is reopened by a report that the decision did not see, and by no other', () => {
    expect(openCase(given(...decided), { ...report, position: 100 })).toEqual([]);
    expect(openCase(given(...decided), { ...report, position: 101 })).toMatchObject([
      { type: 'case.reopened', data: { reportId: 'r1' } },
    ]);
  });

  it('is reopened by an operator once it is decided', () => {
    const reopen = (state: Case) => reopenCase(state, { operatorId: hedy, at: 9 });
    expect(reopen(given(open))).toEqual([]);
    expect(reopen(given(...decided))).toEqual([{ type: 'case.reopened', data: { ...subject, at: 9 } }]);
    expect(codeOf(reopen(noCase))).toBe('not_found');
  });

  it('is claimed by one operator at a time, until anybody releases it', () => {
    expect(claimCase(given(open, claim(grace)), { operatorId: grace, at: 2 })).toEqual([]);
    expect(codeOf(claim(hedy)(given(open, claim(grace))))).toBe('revision_conflict');
    const release = (state: Case) => releaseCase(state, { at: 3 });
    expect(release(given(open, claim(grace)))).toMatchObject([{ data: { operatorId: grace } }]);
    expect(claim(hedy)(given(open, claim(grace), release))).toHaveLength(1);
    expect(release(given(open))).toEqual([]);
  });

  it('is not claimed once it is decided without an appeal', () => {
    expect(codeOf(claim(hedy)(given(...decided)))).toBe('revision_conflict');
  });

  it('records each text that the claimer is shown once', () => {
    const state = given(...claimed);
    expect(see(grace, 300, 'e1')(state)).toEqual([]);
    expect(see(grace, 300, 'e1', 'e2')(state)).toMatchObject([
      { data: { eventIds: ['e2'], networkRevision: 300 } },
    ]);
    expect(codeOf(see(hedy, 300, 'e1')(state))).toBe('not_owner');
  });

  it('takes notes of 1 to 2,000 characters', () => {
    const note = (text: string) => codeOf(noteCase(given(open), { note: text, at: 3 }));
    expect(note(' seen before ')).toMatchObject([{ data: { note: 'seen before' } }]);
    for (const refused of [' ', 'x'.repeat(2_001), 'a\u0007']) expect(note(refused)).toBe('invalid_text');
  });
});

describe('a decision', () => {
  it('has what its operator saw during the claim', () => {
    expect(decide(given(...claimed, see(grace, 200, 'e2')))).toEqual([
      {
        type: 'case.decided',
        data: {
          ...subject,
          decisionId: 'd1',
          operatorId: grace,
          seenEventIds: ['e1', 'e2'],
          networkRevision: 200,
          outcome: 'violation',
          effects: ['restrict_post'],
          notice: 'It is spam.',
          at: 4,
        },
      },
    ]);
  });

  it.each([
    ['of a case that another operator claimed', [open, claim(hedy)], {}, 'not_owner'],
    ['of a case that nobody claimed', [open], {}, 'not_owner'],
    ['without a look at the case', [open, claim(grace)], {}, 'revision_conflict'],
    ['of a case that does not exist', [], {}, 'not_found'],
    [
      'of no violation with an effect',
      claimed,
      { outcome: 'no_violation' as const, notice: '' },
      'effect_mismatch',
    ],
    [
      'of no violation with a notice',
      claimed,
      { outcome: 'no_violation' as const, effects: [] },
      'effect_mismatch',
    ],
    ['with too long a notice', claimed, { notice: 'x'.repeat(2_001) }, 'invalid_text'],
  ])('is refused %s', (_what, acts, change, code) => {
    expect(codeOf(decideCase(given(...acts), { ...decision, ...change }))).toBe(code);
  });

  it('restricts no post in a case about an actor', () => {
    const actor = { caseId: 'actor-ada', targetActorId: 'ada' };
    const opened = (state: Case) => openCase(state, { ...report, subject: actor });
    const state = given(opened, claim(grace), see(grace, 100));
    expect(codeOf(decide(state))).toBe('effect_mismatch');
    expect(decideCase(state, { ...decision, effects: ['suspend_actor', 'suspend_actor'] })).toMatchObject([
      { data: { effects: ['suspend_actor'] } },
    ]);
  });

  it('has its effects applied once', () => {
    const state = given(...decided);
    const execution = { decisionId: 'd1', changed: ['restrict_post'], at: 7 } as const;
    const apply = (known: Case) => finishEffects(known, { ...execution, execution: 'applied' });
    expect(unfinishedDecisions(state)).toMatchObject([{ decisionId: 'd1', execution: 'due' }]);
    expect(apply(state)).toHaveLength(1);
    expect(apply(given(...decided, apply))).toEqual([]);
    expect(unfinishedDecisions(given(...decided, apply))).toEqual([]);
    expect(finishEffects(state, { ...execution, execution: 'undone' })).toEqual([]);
  });
});

describe('an appeal', () => {
  it('is one for each decision, by the person whom it is about', () => {
    expect(appealDecision(given(...decided), { ...appeal, appeal: ' It\r\nis not. ' })).toMatchObject([
      { type: 'case.appealed', data: { decisionId: 'd1', appeal: 'It\nis not.' } },
    ]);
    expect(codeOf(file(given(...decided, file)))).toBe('revision_conflict');
    const refused = [
      appealDecision(given(...decided), { ...appeal, actorId: 'bob' }),
      appealDecision(given(...decided), { ...appeal, decisionId: 'd2' }),
      file(given(open)),
      file(noCase),
      file(
        given(...claimed, (state) =>
          decideCase(state, { ...decision, outcome: 'no_violation', effects: [], notice: '' }),
        ),
      ),
    ];
    expect(refused.map(codeOf)).toEqual(Array(5).fill('not_found'));
  });

  it('is ruled on by another operator, who has claimed the case', () => {
    const state = given(...decided, file);
    for (const own of [claim(grace)(state), rule(grace, 'upheld')(state)])
      expect(codeOf(own)).toBe('not_owner');
    expect(codeOf(rule(hedy, 'upheld')(state))).toBe('not_owner');
    expect(rule(hedy, 'upheld')(given(...decided, file, claim(hedy)))).toMatchObject([
      { type: 'case.appeal_upheld', data: { decisionId: 'd1', operatorId: hedy } },
    ]);
  });

  it('is ruled on once, which ends the claim', () => {
    const ruled = [...decided, file, claim(hedy), rule(hedy, 'upheld')];
    expect(codeOf(rule(hedy, 'upheld')(given(...ruled)))).toBe('revision_conflict');
    expect(codeOf(file(given(...ruled)))).toBe('revision_conflict');
    expect(given(...ruled)).toMatchObject({ claim: undefined, decisions: [{ appeal: 'upheld' }] });
  });

  it('leaves the effects to be undone, if it is overturned', () => {
    const ruled = given(...decided, file, claim(hedy), rule(hedy, 'overturned'));
    expect(unfinishedDecisions(ruled)).toMatchObject([{ execution: 'undoing' }]);
    const applied = { decisionId: 'd1', execution: 'applied', changed: [], at: 7 } as const;
    expect(finishEffects(ruled, applied)).toEqual([]);
    expect(finishEffects(ruled, { ...applied, execution: 'undone' })).toHaveLength(1);
  });

  it('waits while the case is open again, which its decider leaves to others', () => {
    const reopened = (state: Case) => openCase(state, { ...report, position: 500 });
    const claimedBefore = given(...decided, reopened, claim(grace), see(grace, 500), file);
    const anew = { ...decision, decisionId: 'd2' };
    expect(codeOf(rule(grace, 'upheld')(claimedBefore))).toBe('not_owner');
    expect(codeOf(decideCase(claimedBefore, anew))).toBe('not_owner');
    const state = given(...decided, file, reopened);
    expect(codeOf(claim(grace)(state))).toBe('not_owner');
    const byHedy = given(...decided, file, reopened, claim(hedy), see(hedy, 500));
    expect(decideCase(byHedy, { ...anew, operatorId: hedy })).toHaveLength(1);
  });
});
