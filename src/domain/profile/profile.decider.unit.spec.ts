import { describe, expect, it } from '@jest/globals';
import type { AccountRegistered } from '../account/events.js';
import { changeProfile, evolveProfile, registeredProfile } from './profile.js';
import type { ProfileChange } from './profile.js';
import type { ProfileChanged } from './events.js';

const registered: AccountRegistered = {
  type: 'account.registered',
  data: { actorId: 'a1', handle: 'ada', displayName: 'Ada', email: 'ada@example.org', at: 5 },
};
const asRegistered = { actorId: 'a1', handle: 'ada', displayName: 'Ada', bio: '', website: '' };
const changed = (data: Partial<ProfileChanged['data']>): ProfileChanged => ({
  type: 'profile.changed',
  data: { ...asRegistered, revision: 2, at: 7, ...data },
});
const given = (...events: ProfileChanged[]) => events.reduce(evolveProfile, registeredProfile(registered));
const change = (fields: Omit<ProfileChange, 'revision'>) =>
  changeProfile(given(), { revision: 1, ...fields }, 7);

describe('a profile', () => {
  it('starts with the registered values', () => {
    expect(given()).toEqual({ ...asRegistered, revision: 1, heldHandle: 'ada' });
  });

  it('changes the given fields, and records all of them', () => {
    expect(change({ bio: ' two\nlines ', website: 'https://ada.example/' })).toEqual([
      changed({ bio: 'two\nlines', website: 'https://ada.example/' }),
    ]);
    const edited = given(changed({ bio: 'a bio' }));
    expect(changeProfile(edited, { revision: 2, displayName: 'Ada L.' }, 8)).toEqual([
      changed({ bio: 'a bio', displayName: 'Ada L.', revision: 3, at: 8 }),
    ]);
  });

  it.each([
    ['nothing', {}],
    ['its current content', { handle: 'ada', displayName: ' Ada ', bio: '\n', website: '' }],
  ])('is unchanged when %s is requested', (_what, fields) => {
    expect(change(fields)).toEqual([]);
  });

  it('is compared in NFC, as it is stored', () => {
    const zoe = given(changed({ displayName: 'Zo\u00eb' }));
    expect(changeProfile(zoe, { revision: 2, displayName: 'Zoe\u0308' }, 8)).toEqual([]);
  });

  it.each([0, 2, 9])('is not changed from another revision: %d', (revision) => {
    for (const fields of [{ bio: 'x' }, {}])
      expect(changeProfile(given(), { revision, ...fields }, 7)).toMatchObject({ code: 'revision_conflict' });
  });

  it.each([
    ['a handle with capitals', { handle: 'Ada' }],
    ['an empty handle', { handle: '' }],
    ['a long handle', { handle: 'a'.repeat(31) }],
    ['a blank display name', { displayName: ' ' }],
    ['a display name of two lines', { displayName: 'a\nb' }],
    ['a long display name', { displayName: '🦆'.repeat(65) }],
    ['a long bio', { bio: '🦆'.repeat(501) }],
    ['a bio with a control character', { bio: 'a\u0000b' }],
    ['a bio with a carriage return', { bio: 'a\r\nb' }],
    ['half a surrogate pair', { bio: 'a\uD83Eb' }],
  ])('is refused for %s', (_what, fields) => {
    expect(change(fields)).toMatchObject({ code: 'invalid_text' });
  });

  it('keeps unchanged fields, even if newer rules forbid them', () => {
    const bio = `a${'\u0301'.repeat(40)}`;
    const edited = given(changed({ bio }));
    expect(changeProfile(edited, { revision: 2, displayName: 'Ada L.' }, 8)).toEqual([
      changed({ bio, displayName: 'Ada L.', revision: 3, at: 8 }),
    ]);
    expect(changeProfile(edited, { revision: 2, bio }, 8)).toMatchObject({ code: 'invalid_text' });
  });

  it('accepts 500 code points of bio and 64 of display name, whatever their bytes', () => {
    const fields = { bio: '🦆'.repeat(500), displayName: '🦆'.repeat(64) };
    expect(change(fields)).toEqual([changed(fields)]);
  });
});

describe('the handle of a profile', () => {
  it('is replaced, and the former one is released', () => {
    expect(given(changed({ handle: 'countess' }))).toMatchObject({
      handle: 'countess',
      heldHandle: 'countess',
      formerHandle: 'ada',
    });
  });

  it('is kept while the profile shows none, until the person takes another', () => {
    const hidden = given(changed({ handle: null }));
    expect(hidden).toMatchObject({ handle: null, heldHandle: 'ada', formerHandle: undefined });
    const another = evolveProfile(hidden, changed({ handle: 'countess', revision: 3 }));
    expect(another).toMatchObject({ heldHandle: 'countess', formerHandle: 'ada' });
    const again = evolveProfile(hidden, changed({ handle: 'ada', revision: 3 }));
    expect(again).toMatchObject({ handle: 'ada', heldHandle: 'ada', formerHandle: undefined });
  });

  it('is released once: later changes release nothing', () => {
    const later = given(
      changed({ handle: 'countess' }),
      changed({ handle: 'countess', bio: 'x', revision: 3 }),
    );
    expect(later.formerHandle).toBeUndefined();
  });
});

describe('a website', () => {
  it.each([
    'https://ada.example',
    'http://ada.example:8080/~ada?x=1#me',
    'HTTPS://ADA.EXAMPLE/',
    'https://zoë.example/ü',
    'https://[2001:db8::1]/',
    `https://ada.example/${'a'.repeat(2_028)}`,
  ])('may be %s', (website) => {
    expect(change({ website })).toEqual([changed({ website })]);
  });

  it.each([
    'ada.example',
    '//ada.example',
    'ftp://ada.example',
    'javascript:alert(1)',
    'https:ada.example',
    'https:/ada.example',
    'https://',
    'https:///',
    'https://ada@bob.example/',
    'https://ada:secret@ada.example/',
    'https://:secret@ada.example/',
    'https://ada.example\\@eve.example/',
    'https://ada.example/a b',
    ' https://ada.example/',
    'https://ada.example/\n',
    'https://ada.\u200Bexample/',
    'https://ada.example/\u202E',
    'https://ada.example:99999/',
    'https://ada.example/\uD800',
    `https://ada.example/${'a'.repeat(2_029)}`,
  ])('may not be %j', (website) => {
    expect(change({ website })).toMatchObject({ code: 'invalid_website' });
  });
});
