import { describe, expect, it } from '@jest/globals';
import { evolveApplication, noApplication, registerApplication } from './application.js';
import type { ApplicationRegistered } from './events.js';

const draft = {
  appId: 'app',
  name: ' Pebble ',
  redirectUris: ['https://pebble.example/callback', 'http://127.0.0.1:8080/cb', 'http://localhost/cb'],
  scopes: ['read', 'openid', 'read'],
  at: 3,
};
const registered: ApplicationRegistered = {
  type: 'application.registered',
  data: {
    appId: 'app',
    name: 'Pebble',
    redirectUris: draft.redirectUris,
    scopes: ['openid', 'read'],
    at: 3,
  },
};

describe('an application', () => {
  it('is registered with a tidy name and each scope once', () => {
    expect(registerApplication(noApplication, draft)).toEqual([registered]);
  });

  it('is registered once', () => {
    expect(registerApplication(evolveApplication(noApplication, registered), draft)).toMatchObject({
      code: 'intent_conflict',
    });
  });

  it.each([
    ['an empty name', { name: '  ' }],
    ['a name that turns the text around', { name: 'Peb\u202Ebla' }],
    ['a name too long', { name: 'x'.repeat(65) }],
    ['no redirect URI', { redirectUris: [] }],
    ['a relative redirect URI', { redirectUris: ['/callback'] }],
    ['a redirect URI with a fragment', { redirectUris: ['https://pebble.example/#x'] }],
    ['a redirect URI with a password', { redirectUris: ['https://a:b@pebble.example/'] }],
    ['a redirect URI with a NUL', { redirectUris: ['https://pebble.example/\0'] }],
    ['a redirect URI at an IPv6 address', { redirectUris: ['http://[::1]:8080/cb'] }],
    ['a redirect URI at an IPv4 address', { redirectUris: ['https://192.0.2.1/cb'] }],
    ['plain http across the network', { redirectUris: ['http://pebble.example/'] }],
    ['a scheme of its own', { redirectUris: ['pebble:callback'] }],
    ['no scope', { scopes: [] }],
    ['an unknown scope', { scopes: ['read', 'toString'] }],
  ])('is refused for %s', (_what, change) => {
    expect(registerApplication(noApplication, { ...draft, ...change })).toMatchObject({
      code: 'invalid_text',
    });
  });
});
