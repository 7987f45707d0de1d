import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../refusal.js';
import { evolveGrant, issueGrant, noGrant, refreshGrant, revokeGrant } from './grant.js';
import type { GrantEvent } from './grant.js';

const given = (...events: GrantEvent[]) => events.reduce(evolveGrant, noGrant);

const consent = {
  grantId: 'g1',
  appId: 'app',
  actorId: 'ada',
  scopes: ['read', 'post:create', 'read'],
  allowed: ['post:create', 'read', 'openid'],
  at: 7,
};
const issued: GrantEvent = {
  type: 'grant.issued',
  data: { grantId: 'g1', appId: 'app', actorId: 'ada', scopes: ['post:create', 'read'], at: 7 },
};
const revoked: GrantEvent = {
  type: 'grant.revoked',
  data: { grantId: 'g1', appId: 'app', actorId: 'ada', cause: 'reuse', at: 9 },
};
const refreshed: GrantEvent = {
  type: 'grant.refreshed',
  data: { grantId: 'g1', appId: 'app', actorId: 'ada', at: 8 },
};
const reuse: GrantEvent = {
  type: 'grant.reuse_detected',
  data: { grantId: 'g1', appId: 'app', actorId: 'ada', of: 'refresh_token', at: 9 },
};

describe('a grant', () => {
  it('is issued with exactly the consented scopes, each once', () => {
    expect(issueGrant(given(), consent)).toEqual([issued]);
  });

  it('is unchanged when the same consent is repeated', () => {
    expect(issueGrant(given(issued), { ...consent, at: 8 })).toEqual([]);
  });

  it.each([
    ['other scopes', { scopes: ['read'] }],
    ['another application', { appId: 'other' }],
    ['another person', { actorId: 'bob' }],
  ])('is never altered: refuses %s', (_what, change) => {
    expect(issueGrant(given(issued), { ...consent, ...change })).toMatchObject({ code: 'intent_conflict' });
  });

  it('is not issued again once revoked', () => {
    expect(issueGrant(given(issued, revoked), consent)).toMatchObject({ code: 'intent_conflict' });
  });

  it.each([[[]], [['read', 'block:read']]])(
    'is refused for %j, which the application may not have',
    (scopes) => {
      expect(issueGrant(given(), { ...consent, scopes })).toMatchObject({ code: 'capability_required' });
    },
  );

  it('is revoked once', () => {
    const byPerson = { ...revoked, data: { ...revoked.data, cause: 'person' } };
    expect(revokeGrant(given(issued), { cause: 'person', at: 9 })).toEqual([byPerson]);
    expect(revokeGrant(given(issued, revoked), { cause: 'client', at: 10 })).toEqual([]);
  });

  it('is revoked when a code or token is reused', () => {
    const ending = { cause: 'reuse', of: 'refresh_token', at: 9 } as const;
    expect(revokeGrant(given(issued, refreshed), ending)).toEqual([reuse, revoked]);
    expect(revokeGrant(given(issued, refreshed, reuse, revoked), ending)).toEqual([]);
  });

  it('is refreshed each time while it is active', () => {
    expect(refreshGrant(issued, { at: 8 })).toEqual([refreshed]);
    expect(refreshGrant(refreshed, { at: 8 })).toEqual([refreshed]);
  });

  it('is not refreshed if unknown or revoked', () => {
    for (const newest of [undefined, revoked])
      expect(refreshGrant(newest, { at: 10 })).toMatchObject({ code: 'not_found' });
  });

  it('cannot be revoked before it is issued', () => {
    expect(revokeGrant(given(), { cause: 'client', at: 1 })).toBeInstanceOf(Refusal);
  });

  it('is not issued again if a restored log has only its revocation', () => {
    expect(issueGrant(given(revoked), consent)).toMatchObject({ code: 'intent_conflict' });
    expect(given(revoked, issued)).toMatchObject({ status: 'revoked' });
    expect(revokeGrant(given(revoked), { cause: 'client', at: 1 })).toEqual([]);
  });
});
