import { describe, expect, it } from '@jest/globals';
import { changeApplication, shownNames } from './change.js';
import type { AskedDetails, CurrentApplication } from './change.js';

const DAY_MS = 24 * 60 * 60_000;
const before: CurrentApplication = {
  name: 'Pebble',
  redirectUris: ['https://pebble.example/callback', 'https://pebble.example/other'],
  postLogoutRedirectUris: [],
  scopes: ['openid', 'read'],
  formerNames: [],
};
const at = 100 * DAY_MS;

const change = (asked: AskedDetails, current = before, isEndingGrants = false) =>
  changeApplication(current, { appId: 'app', asked, at, isEndingGrants });

describe('a change of an application', () => {
  it('has all that holds afterwards, and what differs', () => {
    const asked = { name: ' Boulder ', scopes: ['post:create', 'openid', 'openid'] };
    expect(change(asked)).toEqual([
      {
        type: 'application.changed',
        data: {
          appId: 'app',
          name: 'Boulder',
          redirectUris: before.redirectUris,
          postLogoutRedirectUris: [],
          scopes: ['openid', 'post:create'],
          changed: ['name', 'scopes'],
          removedScopes: ['read'],
          formerNames: [{ name: 'Pebble', until: at }],
          at,
        },
      },
    ]);
  });

  it('takes no new address with a wildcard, and keeps one that an earlier release took', () => {
    const [wild, wilder] = ['https://pebble.example/*', 'https://pebble.example/*/cb'];
    const earlier = { ...before, redirectUris: [wild] };
    expect(change({ name: 'Boulder' }, earlier)).toHaveLength(1);
    expect(change({ redirectUris: [wild, wilder] }, earlier)).toMatchObject({ code: 'invalid_text' });
  });

  it('that changes nothing, but for order and doubles, is none', () => {
    const [first = '', second = ''] = before.redirectUris;
    expect(change({})).toEqual([]);
    expect(
      change({ name: 'Pebble ', redirectUris: [second, first, second], scopes: ['read', 'openid'] }),
    ).toEqual([]);
  });

  it.each([
    ['an empty name', { name: ' ' }],
    ["the network's name", { name: 'P l a z a' }],
    ['no address', { redirectUris: [] }],
    ['an address in plain http', { redirectUris: ['http://pebble.example/'] }],
    ['an address after sign-out that is relative', { postLogoutRedirectUris: ['/bye'] }],
    ['no scope', { scopes: [] }],
    ['an unknown scope', { scopes: ['read', 'fly'] }],
  ])('is refused for %s', (_what, asked) => {
    expect(change(asked)).toMatchObject({ code: 'invalid_text' });
  });

  it('keeps each name that people may know, and none twice', () => {
    const known = {
      ...before,
      name: 'C',
      formerNames: [
        { name: 'B', until: at - DAY_MS },
        { name: 'A', until: at - 29 * DAY_MS },
        { name: 'Old', until: at - 30 * DAY_MS },
      ],
    };
    const namesAfter = (asked: AskedDetails) => {
      const [event] = change(asked, known) as readonly {
        data: { formerNames: readonly { name: string }[] };
      }[];
      return event?.data.formerNames.map(({ name }) => name);
    };
    expect(namesAfter({ name: 'D' })).toEqual(['C', 'B', 'A']);
    expect(namesAfter({ name: 'B' })).toEqual(['C', 'A']);
    expect(namesAfter({ scopes: ['read'] })).toEqual(['B', 'A']);
    expect(shownNames(known.formerNames, at + DAY_MS).map(({ name }) => name)).toEqual(['B']);
  });

  it('of the name is refused while people see five former ones', () => {
    const formerNames = [1, 2, 3, 4, 5].map((n) => ({ name: `Name ${n}`, until: at - DAY_MS }));
    expect(change({ name: 'Boulder' }, { ...before, formerNames })).toMatchObject({ code: 'invalid_text' });
    expect(change({ name: 'Name 3' }, { ...before, formerNames })).toHaveLength(1);
  });

  it('adds no scope while grants still end for removed ones, and may remove more', () => {
    expect(change({ scopes: ['openid', 'read', 'post:create'] }, before, true)).toMatchObject({
      code: 'revision_conflict',
    });
    expect(change({ scopes: ['read'], name: 'Boulder' }, before, true)).toHaveLength(1);
  });
});
