import { describe, expect, it } from '@jest/globals';
import {
  changePassword,
  claimHandle,
  evolveAccount,
  evolveHandle,
  freeHandle,
  noAccount,
  registerAccount,
  reinstateAccount,
  signOutEverywhere,
  suspendAccount,
} from './account.js';
import type { AccountEvent } from './account.js';
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
    ['a display name that turns the text around', { displayName: 'a\u202Eb' }],
    ['a display name with an invisible space', { displayName: 'a\u200Bb' }],
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

describe('a display name', () => {
  it.each(['👩‍🚀', 'می‌خواهم', 'Zoë 🦆'])('may be %j', (displayName) => {
    expect(registerAccount(noAccount, { ...registration, displayName })).toHaveLength(1);
  });
});

describe('an account that is there', () => {
  const given = (...events: AccountEvent[]) => [registered, ...events].reduce(evolveAccount, noAccount);
  const of = { actorId: 'a1', at: 7 };
  const suspended: AccountEvent = { type: 'account.suspended', data: of };
  const reinstated: AccountEvent = { type: 'account.reinstated', data: of };
  const changed: AccountEvent = { type: 'account.password_changed', data: of };
  const signedOut: AccountEvent = { type: 'account.signed_out', data: of };

  it('is suspended once and reinstated once', () => {
    expect(suspendAccount(given(), of)).toEqual([suspended]);
    expect(suspendAccount(given(suspended, changed, signedOut), of)).toEqual([]);
    expect(reinstateAccount(given(suspended), of)).toEqual([reinstated]);
    expect(reinstateAccount(given(suspended, reinstated), of)).toEqual([]);
    expect(reinstateAccount(given(), of)).toEqual([]);
  });

  it('is only suspended or reinstated from the turn of its life that was seen', () => {
    expect(suspendAccount(given(), { ...of, lifecycle: 1 })).toEqual([suspended]);
    expect(reinstateAccount(given(suspended, changed), { ...of, lifecycle: 2 })).toEqual([reinstated]);
    const conflict = { code: 'lifecycle_revision_conflict' };
    expect(suspendAccount(given(suspended), { ...of, lifecycle: 1 })).toMatchObject(conflict);
    expect(suspendAccount(given(), { ...of, lifecycle: 2 })).toMatchObject(conflict);
    expect(reinstateAccount(given(suspended, reinstated), { ...of, lifecycle: 2 })).toMatchObject(conflict);
  });

  it('has another password with each change', () => {
    expect(changePassword(given(), of)).toEqual([changed]);
    expect(changePassword(given(changed), of)).toEqual([changed]);
  });

  it('is signed out where it was signed in', () => {
    expect(signOutEverywhere(given(), { ...of, sessions: 2 })).toEqual([signedOut]);
    expect(signOutEverywhere(given(signedOut), { ...of, sessions: 0 })).toEqual([]);
  });

  it('stays as it is when its registration is repeated, whatever happened since', () => {
    expect(registerAccount(given(suspended), registration)).toEqual([]);
  });
});

describe('an account that is not there', () => {
  it('is neither suspended nor anything else', () => {
    const of = { actorId: 'a1', at: 7, sessions: 1 };
    for (const decide of [suspendAccount, reinstateAccount, changePassword, signOutEverywhere])
      expect(decide(noAccount, of)).toMatchObject({ code: 'not_found' });
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
