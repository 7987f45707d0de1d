import { describe, expect, it, jest } from '@jest/globals';
import { passwordFormProblem, Passwords } from '../doors/auth/passwords.js';
import { displayNameFault, normalizedDisplayName } from './account/account.js';
import { noApplication, registerApplication } from './application/application.js';
import { inviteOperator, noOperator } from './operator/operator.js';
import { postText } from './post/text.js';
import { normalizedBio } from './profile/bio.js';
import { Refusal } from './refusal.js';
import { normalizeText } from './unicode.js';

/** Marks of two combining classes in turn: each one is ordered among all before it. */
const marks = (count: number) => '\u0301\u0316'.repeat(count / 2);
const LARGEST_BODY = 61_000;

/** Texts that the runtime normalized. */
async function normalizedBy(work: () => unknown): Promise<string[]> {
  const normalize = jest.spyOn(String.prototype, 'normalize');
  try {
    await work();
    return normalize.mock.contexts.map(String);
  } finally {
    normalize.mockRestore();
  }
}

describe('a submitted text', () => {
  it.each([
    ['is normalized to NFC', 'Zoe\u0308', 20, 'Zo\u00eb'],
    [
      'may use four code units for each character',
      '\u03b1\u0313\u0300\u0345'.repeat(9),
      9,
      '\u1f82'.repeat(9),
    ],
    ['may have several runs of 30 marks', `a${marks(30)}`.repeat(4), 60, undefined],
    ['may have combining signs of other scripts', 'निर्माण ที่นี่ བསྒྲུབས', 60, undefined],
    ['may be empty', '', 64, ''],
  ])('%s', (_what, given, max, text = given.normalize('NFC')) => {
    expect(normalizeText(given, max)).toEqual({ text });
  });

  it.each([
    [
      'more than four code units for each allowed character',
      'x'.repeat(257),
      64,
      /257 UTF-16 code units.* at most 256/,
    ],
    ['31 marks in a row', `a${marks(30)}\u0301`, 2_000, /more than 30 combining marks in a row/],
    ['31 marks behind shorter runs', `${`a${marks(30)}`.repeat(9)}\u0301`, 2_000, /30 combining marks/],
    ['31 marks beyond the first plane', '\u{1E944}'.repeat(31), 2_000, /30 combining marks/],
    ['31 marks that enclose', '\u20dd'.repeat(31), 2_000, /30 combining marks/],
  ])('is refused for %s', (_what, given, max, fault) => {
    expect(normalizeText(given, max)).toEqual({ fault: expect.stringMatching(fault) });
  });

  it('counts as marks all characters that normalization reorders', () => {
    const isOrdered = (character: string) =>
      // A mark of another class moves before or after it.
      ['\u0334', '\u0345'].some((other) => {
        const [one, two] = [`a${character}${other}`, `a${other}${character}`];
        return !character.normalize('NFD').includes(other) && one.normalize('NFD') === two.normalize('NFD');
      });
    const uncounted = Array.from({ length: 0x11_0000 }, (_, point) => point)
      .filter((point) => point < 0xd8_00 || point > 0xdf_ff)
      .map((point) => String.fromCodePoint(point))
      .filter((character) => !/\p{M}/u.test(character) && isOrdered(character));
    expect(uncounted).toEqual([]);
  });
});

describe.each([
  ['a post', 2_000, (text: string) => postText(text)],
  ['a display name', 64, (text: string) => displayNameFault(text)],
  ['a bio', 500, (text: string) => normalizedBio(text)],
  ['a password', 1_024, (text: string) => passwordFormProblem(text)],
  ['a password that is checked', 1_024, (text: string) => new Passwords().verify(undefined, text)],
  [
    "an application's name",
    64,
    (name: string) =>
      registerApplication(noApplication, {
        appId: 'app',
        name,
        redirectUris: [],
        postLogoutRedirectUris: [],
        scopes: [],
        at: 0,
      }),
  ],
])('the text of %s', (_what, max, read) => {
  it.each([
    ['as long as a request can be', `a${marks(LARGEST_BODY)}`],
    ['just too long', 'a'.repeat(4 * max + 1)],
    ['of marks, and no longer than allowed', marks(4 * max)],
    ['of marks behind white space', `${' '.repeat(LARGEST_BODY / 2)}${marks(4 * max)}`],
  ])('is refused before it is normalized: %s', async (_which, text) => {
    expect(await normalizedBy(() => read(text))).toEqual([]);
  });
});

const registration = {
  appId: 'app',
  redirectUris: ['https://a.example/'],
  postLogoutRedirectUris: [],
  at: 0,
};

describe.each([
  ['a display name', (name: string) => normalizedDisplayName(name)],
  [
    'the name of an application',
    (name: string) => registerApplication(noApplication, { ...registration, name, scopes: ['read'] }),
  ],
  [
    'the name of an operator',
    (name: string) =>
      inviteOperator(noOperator, {
        operatorId: 'o',
        name,
        roles: ['moderator'],
        invitationHash: '',
        expiresAt: 1,
        needsConfirmation: false,
        at: 0,
      }),
  ],
])('%s', (_what, read) => {
  it.each([
    ['no character that shows', '\u3164'],
    ['fillers of Hangul alone', '\u115f\u1160\uffa0'],
    ['blank Braille patterns alone', '\u2800\u2800'],
    ['marks alone', '\u0301\ufe0f'],
    ['an ignorable mark alone', '\u034f'],
    ['an unassigned character', 'Ada\u0378'],
    ['a private character', 'Ada\ue000'],
    ['a noncharacter', 'Ada\ufdd0'],
    ['a character that changes the direction', 'Ada\u202e'],
    ['65 characters', 'a'.repeat(65)],
  ])('is refused with %s', (_why, name) => {
    expect(read(name)).toMatchObject({ code: 'invalid_text' });
  });

  it.each([
    'A',
    '\u0b95\u0bcd',
    'Ada\u3164',
    '\u{1f468}',
    '\u2764\ufe0f',
    '\u{1f1e9}\u{1f1ea}',
    '7',
    '\u{20000}',
  ])('may be %j', (name) => {
    expect(read(name)).not.toBeInstanceOf(Refusal);
  });
});

it('a display name of joiners alone is refused, and may have them inside', () => {
  expect(normalizedDisplayName('\u200c\u200d')).toBeInstanceOf(Refusal);
  expect(normalizedDisplayName('\u{1f469}\u200d\u{1f52c}')).toBe('\u{1f469}\u200d\u{1f52c}');
});

describe('white space around a text', () => {
  it('does not count for its length or marks', async () => {
    const around = ' \n\t\u3000'.repeat(10_000);
    const text = `e\u0301`.repeat(2_000);
    expect(postText(`${around}${text}${around}`)).toBe('\u00e9'.repeat(2_000));
    expect(await normalizedBy(() => postText(`${around}${text}${around}`))).toEqual([text]);
  });

  it('alone is an empty text', () => {
    expect(postText(' \n\u3000')).toBeInstanceOf(Refusal);
  });
});
