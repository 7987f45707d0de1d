import { describe, expect, it } from '@jest/globals';
import { systemIds } from '../../../base/support/id-generator.js';
import { codeDigest, newCodes } from './recovery-codes.js';

describe('recovery codes', () => {
  it('are ten, and differ', () => {
    const codes = newCodes(systemIds);
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^(?:[0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
  });

  it('have 80 bits: 16 characters, each of all 32', () => {
    const letters = Array.from({ length: 100 }, () => newCodes(systemIds).join('')).join('');
    expect(new Set(letters.replaceAll('-', '')).size).toBe(32);
  });

  it.each([
    ['with other case and spaces', ' 0A1B 2C3D 4E5F 6G7H '],
    ['without dashes', '0a1b2c3d4e5f6g7h'],
    ['with letters for digits', 'oaIb-2c3d-4e5f-6g7h'],
  ])('are the same if typed %s', (_name, typed) => {
    expect(codeDigest(typed)).toBe(codeDigest('0a1b-2c3d-4e5f-6g7h'));
  });

  it('differ by one character', () => {
    expect(codeDigest('0a1b-2c3d-4e5f-6g7j')).not.toBe(codeDigest('0a1b-2c3d-4e5f-6g7h'));
  });
});
