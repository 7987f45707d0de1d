import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../refusal.js';
import { evolveOperator, noOperator } from './operator.js';
import type { Operator, OperatorEvent } from './operator.js';
import { enrollWithPasskey, registerPasskey, removePasskey } from './passkeys.js';

const operatorId = 'ada';
const passkey = {
  operatorId,
  passkeyId: 'k1',
  credentialId: 'c1',
  publicKey: 'p1',
  transports: ['usb'],
  label: ' phone ',
  at: 5,
};
const invited: OperatorEvent = {
  type: 'operator.invited',
  data: {
    operatorId,
    name: 'Ada',
    roles: ['viewer'],
    invitationHash: 'h',
    expiresAt: 9,
    needsConfirmation: false,
    at: 1,
  },
};
const enrolled: OperatorEvent = { type: 'operator.enrolled', data: { operatorId, at: 5 } };
const registered: OperatorEvent = {
  type: 'operator.passkey_registered',
  data: { ...passkey, label: 'phone' },
};
const removed: OperatorEvent = {
  type: 'operator.passkey_removed',
  data: { operatorId, passkeyId: 'k1', at: 7 },
};

const after = (...events: OperatorEvent[]): Operator => events.reduce(evolveOperator, noOperator);
const codeOf = (decision: unknown) => (decision instanceof Refusal ? decision.code : decision);

describe('a passkey', () => {
  it('comes with the enrollment, once and in time', () => {
    const enrollment = { ...passkey, invitationHash: 'h' };
    expect(enrollWithPasskey(after(invited), enrollment)).toEqual([enrolled, registered]);
    expect(codeOf(enrollWithPasskey(after(invited), { ...enrollment, at: 9 }))).toBe('not_found');
    expect(codeOf(enrollWithPasskey(after(invited), { ...enrollment, invitationHash: 'i' }))).toBe(
      'not_found',
    );
    expect(codeOf(enrollWithPasskey(after(invited, enrolled), enrollment))).toBe('not_found');
    expect(codeOf(enrollWithPasskey(after(invited), { ...enrollment, label: '' }))).toBe('invalid_text');
  });

  it('is registered by an active operator alone', () => {
    expect(registerPasskey(after(invited, enrolled), passkey)).toEqual([registered]);
    expect(codeOf(registerPasskey(after(invited), passkey))).toBe('not_found');
    const suspended: OperatorEvent = { type: 'operator.suspended', data: { operatorId, at: 6 } };
    expect(codeOf(registerPasskey(after(invited, enrolled, suspended), passkey))).toBe('not_found');
  });

  it('is removed once', () => {
    const operator = after(invited, enrolled, registered);
    const removal = { operatorId, passkeyId: 'k1', at: 7 };
    expect(removePasskey(operator, removal)).toEqual([removed]);
    expect(removePasskey(evolveOperator(operator, removed), removal)).toEqual([]);
    expect(codeOf(removePasskey(operator, { ...removal, passkeyId: 'k2' }))).toBe('not_found');
  });
});
