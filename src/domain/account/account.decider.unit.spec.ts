import { describe, expect, it } from '@jest/globals';
import {
  cancelErasure,
  changePassword,
  claimHandle,
  eraseAccount,
  eraseWhenDue,
  evolveAccount,
  evolveHandle,
  freeHandle,
  noAccount,
  registerAccount,
  reinstateAccount,
  releaseHandleOfErased,
  requestErasure,
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

  it('is unchanged when its registration is repeated', () => {
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

describe('a registered account', () => {
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

  it('is only suspended or reinstated from its current lifecycle revision', () => {
    expect(suspendAccount(given(), { ...of, lifecycle: 1 })).toEqual([suspended]);
    expect(reinstateAccount(given(suspended, changed), { ...of, lifecycle: 2 })).toEqual([reinstated]);
    const conflict = { code: 'lifecycle_revision_conflict' };
    expect(suspendAccount(given(suspended), { ...of, lifecycle: 1 })).toMatchObject(conflict);
    expect(suspendAccount(given(), { ...of, lifecycle: 2 })).toMatchObject(conflict);
    expect(reinstateAccount(given(suspended, reinstated), { ...of, lifecycle: 2 })).toMatchObject(conflict);
  });

  it('gets a password event with each change', () => {
    expect(changePassword(given(), of)).toEqual([changed]);
    expect(changePassword(given(changed), of)).toEqual([changed]);
  });

  it('is signed out only if sessions ended', () => {
    expect(signOutEverywhere(given(), { ...of, sessions: 2 })).toEqual([signedOut]);
    expect(signOutEverywhere(given(signedOut), { ...of, sessions: 0 })).toEqual([]);
  });

  it('is unchanged when its registration is repeated, whatever happened since', () => {
    expect(registerAccount(given(suspended), registration)).toEqual([]);
  });

  it('is suspended when it registers again, if a restored log lost its first registration', () => {
    const lost = (...events: AccountEvent[]) => [...events, registered].reduce(evolveAccount, noAccount);
    expect(lost(suspended)).toMatchObject({ status: 'suspended', lifecycle: 2 });
    expect(registerAccount(evolveAccount(noAccount, suspended), registration)).toEqual([
      registered,
      { ...suspended, data: { ...suspended.data, at: registration.at } },
    ]);
    expect(lost(suspended, reinstated)).toMatchObject({ status: 'active', lifecycle: 3 });
  });
});

describe('an unknown account', () => {
  it('is refused by every command', () => {
    const of = { actorId: 'a1', at: 7, sessions: 1 };
    for (const decide of [suspendAccount, reinstateAccount, changePassword, signOutEverywhere])
      expect(decide(noAccount, of)).toMatchObject({ code: 'not_found' });
  });
});

describe('an account with a planned erasure', () => {
  const given = (...events: AccountEvent[]) => [registered, ...events].reduce(evolveAccount, noAccount);
  const requested: AccountEvent = {
    type: 'account.erasure_requested',
    data: { actorId: 'a1', erasesAt: 100, at: 7 },
  };
  const cancelled: AccountEvent = { type: 'account.erasure_cancelled', data: { actorId: 'a1', at: 8 } };
  const suspended: AccountEvent = { type: 'account.suspended', data: { actorId: 'a1', at: 8 } };
  const erased: AccountEvent = { type: 'account.erased', data: { actorId: 'a1', at: 100 } };
  const request = { actorId: 'a1', erasesAt: 100, at: 7 };
  const erasure = { actorId: 'a1', at: 100 };

  it('keeps the first planned time until it is cancelled', () => {
    expect(requestErasure(given(), request)).toEqual([requested]);
    expect(requestErasure(given(requested), { ...request, erasesAt: 50, at: 8 })).toEqual([]);
    expect(requestErasure(given(requested, cancelled), request)).toEqual([requested]);
    expect(requestErasure(given(suspended), request)).toEqual([requested]);
  });

  it('is cancelled once', () => {
    expect(cancelErasure(given(requested), { actorId: 'a1', at: 8 })).toEqual([cancelled]);
    expect(cancelErasure(given(requested, cancelled), { actorId: 'a1', at: 9 })).toEqual([]);
    expect(cancelErasure(given(), { actorId: 'a1', at: 9 })).toEqual([]);
  });

  it('is erased when due, not before, and not if it was cancelled or never requested', () => {
    expect(eraseWhenDue(given(requested), { ...erasure, at: 99 })).toEqual([]);
    expect(eraseWhenDue(given(requested), erasure)).toEqual([erased]);
    expect(eraseWhenDue(given(requested, suspended), erasure)).toEqual([erased]);
    expect(eraseWhenDue(given(requested, cancelled), erasure)).toEqual([]);
    expect(eraseWhenDue(given(), erasure)).toEqual([]);
    expect(eraseWhenDue(noAccount, erasure)).toEqual([]);
  });

  it('is erased at once by an operator, with the handle and the key named', () => {
    const named = { handleDigest: 'digest', keyId: 'key' };
    expect(eraseAccount(given(requested), { ...erasure, ...named })).toEqual([
      { type: 'account.erased', data: { actorId: 'a1', ...named, at: 100 } },
    ]);
    expect(eraseAccount(given(suspended), { ...erasure, lifecycle: 2 })).toEqual([erased]);
  });

  it('is only planned and executed from the current lifecycle revision', () => {
    const conflict = { code: 'lifecycle_revision_conflict' };
    expect(requestErasure(given(suspended), { ...request, lifecycle: 1 })).toMatchObject(conflict);
    expect(eraseAccount(given(suspended), { ...erasure, lifecycle: 1 })).toMatchObject(conflict);
  });
});

describe('an erased account', () => {
  const erased: AccountEvent = { type: 'account.erased', data: { actorId: 'a1', at: 100 } };
  const account = [registered, erased].reduce(evolveAccount, noAccount);
  const of = { actorId: 'a1', at: 101, erasesAt: 200, sessions: 1 };

  it('stays erased, whatever event follows', () => {
    const behind: AccountEvent[] = [
      { type: 'account.reinstated', data: of },
      { type: 'account.erasure_cancelled', data: of },
      registered,
    ];
    expect(behind.reduce(evolveAccount, account)).toEqual({ status: 'erased', lifecycle: 2 });
    expect(registerAccount(account, registration)).toMatchObject({ code: 'intent_conflict' });
  });

  it('is refused as unknown by every other command', () => {
    const deciders = [
      suspendAccount,
      reinstateAccount,
      requestErasure,
      cancelErasure,
      changePassword,
      signOutEverywhere,
    ];
    for (const decide of deciders) expect(decide(account, of)).toMatchObject({ code: 'not_found' });
  });

  it('is not erased again, from any lifecycle revision', () => {
    expect(eraseAccount(account, of)).toEqual([]);
    expect(eraseAccount(account, { ...of, lifecycle: 1 })).toEqual([]);
    expect(eraseWhenDue(account, of)).toEqual([]);
  });

  it('is erased even if the log has lost its registration', () => {
    expect([erased].reduce(evolveAccount, noAccount)).toEqual({ status: 'erased', lifecycle: 1 });
    expect(eraseAccount(noAccount, of)).toMatchObject({ code: 'not_found' });
  });
});

describe('a handle', () => {
  it('belongs to its first claimer', () => {
    expect(claimHandle(freeHandle, { actorId: 'a1', at: 5, isReserved: false })).toEqual([claimed]);
    expect(
      claimHandle(evolveHandle(freeHandle, claimed), { actorId: 'a2', at: 6, isReserved: false }),
    ).toMatchObject({
      code: 'intent_conflict',
    });
  });

  it('is refused like a taken one if it is reserved, and kept by whoever has it', () => {
    const claim = { actorId: 'a2', at: 6, isReserved: true };
    const held = evolveHandle(freeHandle, claimed);
    expect(claimHandle(freeHandle, claim)).toEqual(claimHandle(held, { ...claim, isReserved: false }));
    expect(claimHandle(held, { ...claim, actorId: 'a1' })).toEqual([]);
  });

  it('may be claimed again by its holder, without effect', () => {
    expect(
      claimHandle(evolveHandle(freeHandle, claimed), { actorId: 'a1', at: 6, isReserved: false }),
    ).toEqual([]);
  });

  it('is released by an erased account that holds it, and by no other', () => {
    const held = evolveHandle(freeHandle, claimed);
    const released = { type: 'handle.released', data: { actorId: 'a1', at: 6 } } as const;
    expect(releaseHandleOfErased(held, { actorId: 'a1', at: 6 })).toEqual([released]);
    expect(releaseHandleOfErased(held, { actorId: 'a2', at: 6 })).toEqual([]);
    expect(releaseHandleOfErased(evolveHandle(held, released), { actorId: 'a1', at: 7 })).toEqual([]);
  });
});
