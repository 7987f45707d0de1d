import { describe, expect, it } from '@jest/globals';
import { upcast } from './upcast.js';
import { registryEntryOf } from './registry.js';

const thirdVersion = {
  version: 3,
  upcasters: [
    (first: Record<string, unknown>) => ({ ...first, language: 'und' }),
    ({ body, ...second }: Record<string, unknown>) => ({ ...second, text: body }),
  ],
};

describe('a stored event', () => {
  it('is upcast from any older version to the newest, step by step', () => {
    expect(upcast(thirdVersion, 1, { body: 'hi' })).toEqual({ text: 'hi', language: 'und' });
    expect(upcast(thirdVersion, 2, { body: 'hi', language: 'en' })).toEqual({ text: 'hi', language: 'en' });
    expect(upcast(thirdVersion, 3, { text: 'hi', language: 'en' })).toEqual({ text: 'hi', language: 'en' });
  });

  it.each([0, 4, 1.5, Number.NaN])('of unknown version %d is rejected', (version) => {
    expect(() => upcast(thirdVersion, version, {})).toThrow('this release knows 1 to 3');
  });
});

describe('the registry', () => {
  it('accepts no inherited property as an event type', () => {
    expect(registryEntryOf('constructor')).toBeUndefined();
    expect(registryEntryOf('post.created')?.version).toBe(2);
  });

  it('reads posts of version 1, without mentions', () => {
    const entry = registryEntryOf('post.created');
    const first = { postId: 'p', authorActorId: 'a', appId: 'app', text: 't', audience: 'public', at: 1 };
    expect(entry?.schema.parse(upcast(entry, 1, first))).toEqual({ ...first, mentions: [] });
  });

  it('reads applications of version 1, without post-logout redirect URIs', () => {
    const entry = registryEntryOf('application.registered');
    const first = { appId: 'a', name: 'n', redirectUris: [], scopes: [], at: 1 };
    expect(entry?.schema.parse(upcast(entry, 1, first))).toEqual({ ...first, postLogoutRedirectUris: [] });
  });
});
