import { describe, expect, it } from '@jest/globals';
import {
  changeRoles,
  confirmOperator,
  enrollOperator,
  evolveOperator,
  inviteOperator,
  issueToken,
  noOperator,
  reinstateOperator,
  revokeToken,
  suspendOperator,
} from './operator.js';
import type { OperatorEvent } from './operator.js';

const given = (...events: OperatorEvent[]) => events.reduce(evolveOperator, noOperator);

const operatorId = 'o';
const invitation = {
  operatorId,
  name: 'Grace',
  roles: ['moderator'],
  invitationHash: 'h',
  expiresAt: 100,
  needsConfirmation: false,
  at: 1,
} as const;
const token = { operatorId, tokenId: 't', tokenHash: 'x', label: 'laptop', expiresAt: 900, at: 2 };
const enrollment = { ...token, invitationHash: 'h' };

const invited: OperatorEvent = { type: 'operator.invited', data: invitation };
const enrolled: OperatorEvent = { type: 'operator.enrolled', data: { operatorId, at: 2 } };
const issued: OperatorEvent = { type: 'operator.token_issued', data: token };
const suspended: OperatorEvent = { type: 'operator.suspended', data: { operatorId, at: 3 } };
const reinstated: OperatorEvent = { type: 'operator.reinstated', data: { operatorId, at: 3 } };
const revoked: OperatorEvent = {
  type: 'operator.token_revoked',
  data: { operatorId, tokenId: 't', at: 3 },
};
const promoted: OperatorEvent = {
  type: 'operator.roles_changed',
  data: { operatorId, roles: ['administrator'], at: 3 },
};
const change = { operatorId, at: 3 };

describe('an invitation', () => {
  it('is recorded with roles in their order, each once', () => {
    const asked = { ...invitation, name: ' Grace ', roles: ['auditor', 'viewer', 'auditor'] } as const;
    expect(inviteOperator(given(), asked)).toEqual([
      { type: 'operator.invited', data: { ...invitation, roles: ['viewer', 'auditor'] } },
    ]);
  });

  it.each([
    ['no role', { roles: [] }],
    ['an empty name', { name: ' ' }],
    ['a name of two lines', { name: 'Grace\nHopper' }],
    ['a name that turns the text around', { name: 'Grace\u202E' }],
  ])('is refused with %s', (_what, fields) => {
    expect(inviteOperator(given(), { ...invitation, ...fields })).toMatchObject({ code: 'invalid_text' });
  });

  it('is accepted once, with a first token', () => {
    expect(enrollOperator(given(invited), enrollment)).toEqual([enrolled, issued]);
    expect(enrollOperator(given(invited, enrolled), enrollment)).toMatchObject({ code: 'not_found' });
  });

  it.each([
    ['with another code', [invited], { ...enrollment, invitationHash: 'other' }],
    ['when it has expired', [invited], { ...enrollment, at: 100 }],
    ['of a suspended operator', [invited, suspended], enrollment],
    ['of nobody', [], enrollment],
  ])('is not accepted %s', (_what, past, asked) => {
    expect(enrollOperator(given(...past), asked)).toMatchObject({ code: 'not_found' });
  });

  it('is confirmed by another operator, if it lacks that', () => {
    const confirmed = { type: 'operator.confirmed', data: change } as const;
    const confirmation = { ...change, isLacking: true };
    expect(confirmOperator(given(invited), { ...confirmation, by: operatorId })).toMatchObject({
      code: 'not_owner',
    });
    expect(confirmOperator(given(invited), { ...confirmation, by: 'p' })).toEqual([confirmed]);
    expect(confirmOperator(given(invited), { ...confirmation, isLacking: false, by: 'p' })).toEqual([]);
  });
});

describe('an operator', () => {
  it('is suspended and reinstated once each', () => {
    expect(suspendOperator(given(invited, enrolled), change)).toEqual([suspended]);
    expect(suspendOperator(given(invited, enrolled, suspended), change)).toEqual([]);
    expect(reinstateOperator(given(invited, enrolled, suspended), change)).toEqual([reinstated]);
    expect(reinstateOperator(given(invited, enrolled), change)).toEqual([]);
  });

  it('has exactly the roles of the newest change', () => {
    const roles = ['administrator', 'administrator'] as const;
    expect(changeRoles(given(invited), { ...change, roles })).toEqual([promoted]);
    expect(changeRoles(given(invited, promoted), { ...change, roles })).toEqual([]);
    expect(changeRoles(given(invited), { ...change, roles: [] })).toMatchObject({ code: 'invalid_text' });
    expect(given(invited, promoted).roles).toEqual(['administrator']);
  });

  it('is not raised without an approval, also if they were lowered after the act was checked', () => {
    const unapproved = { ...change, mayRaise: false };
    const demoted: OperatorEvent = { type: 'operator.roles_changed', data: { ...change, roles: ['viewer'] } };
    const lowered = given(invited, promoted, demoted);
    expect(changeRoles(lowered, { ...unapproved, roles: ['administrator'] })).toMatchObject({
      code: 'intent_conflict',
    });
    expect(changeRoles(given(invited, promoted), { ...unapproved, roles: ['viewer'] })).toEqual([demoted]);
    expect(reinstateOperator(given(invited, enrolled, suspended), unapproved)).toMatchObject({
      code: 'intent_conflict',
    });
    expect(reinstateOperator(given(invited, enrolled), unapproved)).toEqual([]);
  });

  it('is not changed on an outdated view', () => {
    const expected = { ...change, lifecycle: 1 };
    const operator = given(invited, enrolled, promoted);
    expect(suspendOperator(operator, expected)).toMatchObject({ code: 'lifecycle_revision_conflict' });
    expect(suspendOperator(operator, { ...change, lifecycle: 2 })).toEqual([suspended]);
  });

  it('stays suspended, with the newest roles, if a restored log has its invitation last', () => {
    expect(given(suspended, promoted, invited, enrolled)).toMatchObject({
      status: 'suspended',
      roles: ['administrator'],
    });
  });

  it('who does not exist cannot be changed', () => {
    const roles = ['viewer'] as const;
    for (const decision of [
      suspendOperator(given(), change),
      reinstateOperator(given(), change),
      changeRoles(given(), { ...change, roles }),
      confirmOperator(given(), { ...change, by: 'p', isLacking: true }),
    ])
      expect(decision).toMatchObject({ code: 'not_found' });
  });
});

describe('a personal token', () => {
  it('is issued to an active operator alone', () => {
    expect(issueToken(given(invited, enrolled), token)).toEqual([issued]);
    for (const past of [[], [invited], [invited, enrolled, suspended]])
      expect(issueToken(given(...past), token)).toMatchObject({ code: 'not_found' });
  });

  it('is revoked once', () => {
    const revocation = { ...change, tokenId: 't' };
    expect(revokeToken(given(invited, enrolled, issued), revocation)).toEqual([revoked]);
    expect(revokeToken(given(invited, enrolled, issued, revoked), revocation)).toEqual([]);
    expect(revokeToken(given(invited, enrolled), revocation)).toMatchObject({ code: 'not_found' });
  });

  it('has a name of one line', () => {
    expect(issueToken(given(invited, enrolled), { ...token, label: '' })).toMatchObject({
      code: 'invalid_text',
      message: "The token's name must be one line of 1 to 64 visible characters.",
    });
  });
});
