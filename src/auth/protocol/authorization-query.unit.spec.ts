import { describe, expect, it } from '@jest/globals';
import { authorizationQuery } from './authorization-query.js';

describe('the query of an authorization request', () => {
  it.each([
    ['keeps a nonce that an ID token will carry', 'scope=openid+read&nonce=n', 'scope=openid+read&nonce=n'],
    ['loses one that none will', 'scope=read&nonce=n&state=s%2F', 'scope=read&state=s%2F'],
    ['keeps one that is there twice', 'scope=read&nonce=n&nonce=m', 'scope=read&nonce=n&nonce=m'],
    ['keeps the one response mode that there is', 'response_mode=query', 'response_mode=query'],
    ['names every other one as none', 'response_mode=form_post', 'response_mode=unsupported'],
    ['may be empty', '', ''],
  ])('%s', (_what, given, expected) => {
    expect(authorizationQuery(given)).toBe(expected);
  });

  it.each(['state=%', 'state=%FF', 'a&'.repeat(101)])('is refused as %j', (query) => {
    expect(() => authorizationQuery(query)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
