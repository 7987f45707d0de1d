import { describe, expect, it } from '@jest/globals';
import type { ApprovalEvent } from './events.js';
import {
  concludeApproval,
  evolveApproval,
  giveApproval,
  noApproval,
  refuseApproval,
  requestApproval,
  useApproval,
  voidApproval,
} from './approval.js';

const given = (...events: ApprovalEvent[]) => events.reduce(evolveApproval, noApproval);

const approvalId = 'a';
const request = {
  approvalId,
  operatorId: 'ada',
  act: 'account.erase',
  content: '{}',
  digest: 'd',
  expiresAt: 100,
  at: 1,
};
const byAda = { approvalId, operatorId: 'ada', at: 2 };
const byBob = { approvalId, operatorId: 'bob', at: 2 };

const requested: ApprovalEvent = { type: 'approval.requested', data: request };
const approved: ApprovalEvent = { type: 'approval.given', data: { ...byBob, digest: 'd' } };
const refused: ApprovalEvent = { type: 'approval.refused', data: byBob };
const voided: ApprovalEvent = { type: 'approval.voided', data: byAda };
const used: ApprovalEvent = { type: 'approval.used', data: byAda };
const carriedOut: ApprovalEvent = { type: 'approval.carried_out', data: byAda };

describe('an approval', () => {
  it('is requested once', () => {
    expect(requestApproval(given(), request)).toEqual([requested]);
    expect(requestApproval(given(requested), request)).toEqual([]);
  });

  it('is given once, by another operator and for the digest that was shown', () => {
    expect(giveApproval(given(requested), { ...byBob, digest: 'd' })).toEqual([approved]);
    expect(giveApproval(given(requested, approved), { ...byBob, digest: 'd' })).toEqual([]);
    expect(giveApproval(given(requested), { ...byAda, digest: 'd' })).toMatchObject({ code: 'not_owner' });
    expect(giveApproval(given(requested), { ...byBob, digest: 'e' })).toMatchObject({
      code: 'effect_mismatch',
    });
    expect(given(requested, approved).approverId).toBe('bob');
  });

  it('is used by its requester alone, and only once it is given', () => {
    expect(useApproval(given(requested), byAda)).toMatchObject({ code: 'intent_conflict' });
    expect(useApproval(given(requested, approved), byBob)).toMatchObject({ code: 'not_owner' });
    expect(useApproval(given(requested, approved), byAda)).toEqual([used]);
  });

  it('is used again as long as the act is in doubt, and not once it is executed', () => {
    expect(useApproval(given(requested, approved, used), byAda)).toEqual([]);
    expect(concludeApproval(given(requested, approved, used), byAda)).toEqual([carriedOut]);
    expect(concludeApproval(given(requested, approved, used, carriedOut), byAda)).toEqual([]);
    expect(useApproval(given(requested, approved, used, carriedOut), byAda)).toMatchObject({
      code: 'intent_conflict',
    });
  });

  it('expires at its end, in every state', () => {
    const late = { at: 100 };
    for (const past of [[requested], [requested, approved], [requested, approved, used]]) {
      const expired = { code: 'intent_conflict', message: expect.stringContaining('expired') };
      expect(useApproval(given(...past), { ...byAda, ...late })).toMatchObject(expired);
      expect(giveApproval(given(...past), { ...byBob, digest: 'd', ...late })).toMatchObject(expired);
      expect(refuseApproval(given(...past), { ...byBob, ...late })).toMatchObject(expired);
    }
  });

  it('is refused by another operator, or withdrawn, before it is used', () => {
    expect(refuseApproval(given(requested), byBob)).toEqual([refused]);
    expect(refuseApproval(given(requested, approved), byAda)).toEqual([
      { type: 'approval.refused', data: byAda },
    ]);
    expect(refuseApproval(given(requested, refused), byBob)).toEqual([]);
    expect(refuseApproval(given(requested, approved, used), byBob)).toMatchObject({
      code: 'intent_conflict',
    });
    expect(giveApproval(given(requested, refused), { ...byBob, digest: 'd' })).toMatchObject({
      code: 'intent_conflict',
    });
    expect(useApproval(given(requested, approved, refused), byAda)).toMatchObject({
      code: 'intent_conflict',
    });
  });

  it('is void for good once the act would do something else or was refused, unless it was done', () => {
    expect(voidApproval(given(requested, approved), byAda)).toEqual([voided]);
    expect(voidApproval(given(requested, approved, used), byAda)).toEqual([voided]);
    expect(voidApproval(given(requested, approved, used, carriedOut), byAda)).toEqual([]);
    expect(useApproval(given(requested, approved, voided), byAda)).toMatchObject({ code: 'effect_mismatch' });
    expect(giveApproval(given(requested, voided), { ...byBob, digest: 'd' })).toMatchObject({
      code: 'effect_mismatch',
    });
  });

  it('that nobody requested is not found', () => {
    for (const decision of [
      giveApproval(given(), { ...byBob, digest: 'd' }),
      refuseApproval(given(), byBob),
      useApproval(given(), byAda),
    ])
      expect(decision).toMatchObject({ code: 'not_found' });
  });
});
