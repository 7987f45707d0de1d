import { beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD_MAX_CODE_POINTS, passwordFormProblem, Passwords } from './passwords.js';

describe('a password', () => {
  const passwords = new Passwords();
  let hash: string;

  beforeAll(async () => {
    hash = await passwords.hash('caf\u00e9 au lait');
  });

  it('is hashed as argon2id with the recommended cost', () => {
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('is right in any Unicode composition', async () => {
    expect(await passwords.verify(hash, 'cafe\u0301 au lait')).toBe(true);
  });

  it.each([
    ['eight letters', 'abcdefgh', undefined],
    ['seven emoji', '🦊'.repeat(7), expect.stringContaining('at least 8')],
    ['seven letters with accents of their own', 'e\u0301'.repeat(7), expect.stringContaining('at least 8')],
    ['1,024 letters with accents of their own', 'e\u0301'.repeat(PASSWORD_MAX_CODE_POINTS), undefined],
    ['1,025 emoji', '🦊'.repeat(PASSWORD_MAX_CODE_POINTS + 1), expect.stringContaining('at most 1024')],
    ['5,000 letters', 'x'.repeat(5_000), 'This password is too long; it can have at most 1024 characters.'],
  ])('has a length in characters: %s', (_case, typed, fault) => {
    expect(passwordFormProblem(typed)).toEqual(fault);
  });

  it.each(['Caf\u00e9 au lait', '', 'x'.repeat(PASSWORD_MAX_CODE_POINTS + 1)])(
    'is wrong as %j',
    async (typed) => {
      expect(await passwords.verify(hash, typed)).toBe(false);
    },
  );

  it('of no account is always wrong', async () => {
    expect(await passwords.verify(undefined, 'nobody has this password')).toBe(false);
  });
});
