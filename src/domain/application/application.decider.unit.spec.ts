import { describe, expect, it } from '@jest/globals';
import {
  evolveApplication,
  noApplication,
  registerApplication,
  reinstateApplication,
  rotateSecret,
  suspendApplication,
} from './application.js';
import type { ApplicationEvent } from './application.js';
import type { ApplicationRegistered } from './events.js';

const draft = {
  appId: 'app',
  name: ' Pebble ',
  redirectUris: ['https://pebble.example/callback', 'http://127.0.0.1:8080/cb', 'http://localhost/cb'],
  postLogoutRedirectUris: ['https://pebble.example/bye', 'https://pebble.example/bye'],
  scopes: ['read', 'openid', 'read'],
  at: 3,
};
const registered: ApplicationRegistered = {
  type: 'application.registered',
  data: {
    appId: 'app',
    name: 'Pebble',
    redirectUris: draft.redirectUris,
    postLogoutRedirectUris: ['https://pebble.example/bye'],
    scopes: ['openid', 'read'],
    at: 3,
  },
};

const given = (...events: ApplicationEvent[]) => events.reduce(evolveApplication, noApplication);
const of = { appId: 'app', at: 5 };
const suspended: ApplicationEvent = { type: 'application.suspended', data: of };
const reinstated: ApplicationEvent = { type: 'application.reinstated', data: of };

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
    ["the network's name", { name: 'Plaza' }],
    ["the network's name, spaced", { name: ' p l-A.z a ' }],
    ["the network's name in other letters", { name: 'Рlаzа' }],
    ["the network's name in wide letters", { name: 'ＰＬＡＺＡ' }],
    ["the network's name with accents and a capital i", { name: 'PIázà' }],
    ['no redirect URI', { redirectUris: [] }],
    ['a relative redirect URI', { redirectUris: ['/callback'] }],
    ['a redirect URI with a fragment', { redirectUris: ['https://pebble.example/#x'] }],
    ['a redirect URI with a password', { redirectUris: ['https://a:b@pebble.example/'] }],
    ['a redirect URI with a NUL', { redirectUris: ['https://pebble.example/\0'] }],
    ['a redirect URI at an IPv6 address', { redirectUris: ['http://[::1]:8080/cb'] }],
    ['a redirect URI at an IPv4 address', { redirectUris: ['https://192.0.2.1/cb'] }],
    ['a redirect URI at any host', { redirectUris: ['https://*.pebble.example/cb'] }],
    ['a redirect URI of any path', { redirectUris: ['https://pebble.example/*'] }],
    ['a redirect URI at any host, encoded', { redirectUris: ['https://%2A.pebble.example/cb'] }],
    [
      'too many redirect URIs',
      { redirectUris: Array.from({ length: 21 }, (_, n) => `https://p.example/${n}`) },
    ],
    ['an address after sign-out that is relative', { postLogoutRedirectUris: ['/bye'] }],
    ['an address after sign-out at any host', { postLogoutRedirectUris: ['https://*/bye'] }],
    ['plain http across the network', { redirectUris: ['http://pebble.example/'] }],
    ['a scheme of its own', { redirectUris: ['pebble:callback'] }],
    ['no scope', { scopes: [] }],
    ['an unknown scope', { scopes: ['read', 'toString'] }],
  ])('is refused for %s', (_what, change) => {
    expect(registerApplication(noApplication, { ...draft, ...change })).toMatchObject({
      code: 'invalid_text',
    });
  });

  it.each(['Plaza Watch', 'Plazas', 'Palazzo', 'Lazy'])('may be called %s', (name) => {
    expect(registerApplication(noApplication, { ...draft, name })).toHaveLength(1);
  });

  it('needs no post-logout redirect URI', () => {
    const [event] = registerApplication(noApplication, {
      ...draft,
      postLogoutRedirectUris: [],
    }) as ApplicationEvent[];
    expect(event?.data).toMatchObject({ postLogoutRedirectUris: [] });
  });

  it('is suspended once and reinstated once', () => {
    expect(suspendApplication(given(registered), of)).toEqual([suspended]);
    expect(suspendApplication(given(registered, suspended), of)).toEqual([]);
    expect(reinstateApplication(given(registered, suspended), of)).toEqual([reinstated]);
    expect(reinstateApplication(given(registered, suspended, reinstated), of)).toEqual([]);
    expect(reinstateApplication(given(registered), of)).toEqual([]);
  });

  it('gets a new secret each time, even while suspended', () => {
    const rotation = { ...of, overlapMs: 10 };
    const rotated: ApplicationEvent = {
      type: 'application.secret_rotated',
      data: { appId: 'app', previousUntil: 15, at: 5 },
    };
    expect(rotateSecret(given(registered), rotation)).toEqual([rotated]);
    expect(rotateSecret(given(registered, suspended, rotated), rotation)).toEqual([rotated]);
    expect(suspendApplication(given(registered, suspended, rotated), of)).toEqual([]);
  });

  it('that is unknown is not suspended or reinstated, and has no secret', () => {
    const decisions = [suspendApplication(given(), of), reinstateApplication(given(), of)];
    for (const decision of [...decisions, rotateSecret(given(), { ...of, overlapMs: 1 })])
      expect(decision).toMatchObject({ code: 'not_found' });
  });

  it('is suspended when it registers again, if a restored log lost its first registration', () => {
    expect(given(suspended, registered)).toMatchObject({ status: 'suspended', lifecycle: 2 });
    expect(given(suspended, reinstated, registered)).toMatchObject({ status: 'active', lifecycle: 3 });
  });
});
