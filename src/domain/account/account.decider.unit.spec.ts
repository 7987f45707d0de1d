import { describe, expect, it } from '@jest/globals';
import {
  claimHandle,
  evolveAccount,
  evolveHandle,
  freeHandle,
  noAccount,
  registerAccount,
} from './account.js';
import type { AccountRegistered, HandleClaimed } from './events.js';

const registration = {
  actorId: 'a1',
  handle: 'ada_1815',
  displayName: ' Ada 🌻 ',
  email: 'ada@example.org',
  at: 5,
};
const registered: AccountRegistered = {
  type: 'account.registered',
  data: { ...registration, displayName: 'Ada 🌻' },
};
const claimed: HandleClaimed = { type: 'handle.claimed', data: { actorId: 'a1', at: 5 } };

describe('an account', () => {
  it('is registered', () => {
    expect(registerAccount(noAccount, registration)).toEqual([registered]);
  });

  it('stays as it is when its registration is repeated', () => {
    const account = evolveAccount(noAccount, registered);
    expect(registerAccount(account, { ...registration, at: 6 })).toEqual([]);
  });

  it('is not registered again with other data', () => {
    const account = evolveAccount(noAccount, registered);
    expect(registerAccount(account, { ...registration, email: 'eve@example.org' })).toMatchObject({
      code: 'intent_conflict',
    });
  });

  it.each([
    ['a handle with capitals', { handle: 'Ada' }],
    ['a short handle', { handle: 'ad' }],
    ['a handle with a line feed', { handle: 'ada\n' }],
    ['a long handle', { handle: 'a'.repeat(31) }],
    ['a blank display name', { displayName: ' ' }],
    ['a display name of two lines', { displayName: 'a\nb' }],
    ['a long display name', { displayName: 'é'.repeat(65) }],
    ['a lone surrogate', { displayName: '\uD800' }],
    ['an address without @', { email: 'ada' }],
    ['an address with a line feed', { email: 'ada@example.org\nx' }],
    ['a long address', { email: `${'a'.repeat(250)}@b.cd` }],
  ])('is refused for %s', (_what, change) => {
    expect(registerAccount(noAccount, { ...registration, ...change })).toMatchObject({
      code: 'invalid_text',
    });
  });
});

describe('a handle', () => {
  it('is for whoever claims it first', () => {
    expect(claimHandle(freeHandle, { actorId: 'a1', at: 5 })).toEqual([claimed]);
    expect(claimHandle(evolveHandle(freeHandle, claimed), { actorId: 'a2', at: 6 })).toMatchObject({
      code: 'intent_conflict',
    });
  });

  it('may be claimed again by its holder, to no effect', () => {
    expect(claimHandle(evolveHandle(freeHandle, claimed), { actorId: 'a1', at: 6 })).toEqual([]);
  });
});
