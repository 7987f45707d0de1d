import { describe, expect, it } from '@jest/globals';
import { authorizationQuery } from './authorization-query.js';

const manyOf = (count: number) => Array.from({ length: count }, (_, at) => `a${at}=`).join('&');

describe('the query of an authorization request', () => {
  it.each([
    ['keeps a nonce that an ID token will carry', 'scope=openid+read&nonce=n', 'scope=openid+read&nonce=n'],
    ['drops a nonce without an ID token', 'scope=read&nonce=n&state=s%2F', 'scope=read&state=s%2F'],
    ['keeps a repeated nonce', 'scope=read&nonce=n&nonce=m', 'scope=read&nonce=n&nonce=m'],
    ['keeps the supported response mode', 'response_mode=query', 'response_mode=query'],
    ['replaces any other response mode', 'response_mode=form_post', 'response_mode=unsupported'],
    ['keeps unknown parameters', 'x=1&y=2', 'x=1&y=2'],
    ['may be empty', '', ''],
  ])('%s', (_name, given, expected) => {
    expect(authorizationQuery(given)).toBe(expected);
  });

  it.each(['state=%', 'state=%FF', manyOf(101), 'x=1&x=1', 'x=1&state=s&%78=2'])(
    'is refused as %j',
    (query) => {
      expect(() => authorizationQuery(query)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    },
  );
});
