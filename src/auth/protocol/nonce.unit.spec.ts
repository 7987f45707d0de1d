import { describe, expect, it } from '@jest/globals';
import { withoutIdleNonce } from './nonce.js';

describe('a nonce', () => {
  it.each([
    [
      'stays where an ID token will carry it',
      '/a?scope=openid%20read&nonce=n',
      '/a?scope=openid%20read&nonce=n',
    ],
    ['goes where none will', '/a?scope=read&nonce=n&state=s%2F', '/a?scope=read&state=s%2F'],
    ['is not missed', '/a?scope=read', '/a?scope=read'],
    ['is not looked for in a bare path', '/a', '/a'],
  ])('%s', (_what, given, expected) => {
    expect(withoutIdleNonce(given)).toBe(expected);
  });
});
