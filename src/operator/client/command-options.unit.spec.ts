import { describe, expect, it } from '@jest/globals';
import { accountName, wholeNumber } from './command-options.js';

describe('the default operator name', () => {
  it.each([
    ['ana', 'ana'],
    ['Zoë 🦆', 'Zo? ?'],
    ['line\nbreak', 'line?break'],
    ['x'.repeat(100), 'x'.repeat(64)],
  ])('is the account %j, encoded for a header', (account, name) => {
    expect(accountName(() => account)).toBe(name);
    expect(new Headers({ 'x-operator': name }).get('x-operator')).toBe(name);
  });

  it('is the user id of an account without a name', () => {
    const nameless = () => {
      throw new Error('ENOENT: no such file or directory, uv_os_get_passwd');
    };
    expect(accountName(nameless)).toBe(`uid ${process.getuid?.()}`);
  });
});

describe('a whole number', () => {
  it('has nine digits at the most', () => {
    expect(wholeNumber('999999999')).toBe(999_999_999);
    expect(() => wholeNumber('1000000000')).toThrow('It must be a whole number from 1 to 999999999.');
  });
});
