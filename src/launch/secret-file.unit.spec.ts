import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeSecret, readSecret, ensureSecret } from './secret-file.js';

let directory = '';
let file = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'plaza-secret-'));
  file = join(directory, 'a.token');
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

describe('a secret in a file', () => {
  it('is created once, for its owner alone, and leaves no other file', () => {
    const secret = ensureSecret(file);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(ensureSecret(file)).toBe(secret);
    expect(readFileSync(file, 'utf8')).toBe(`${secret}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['a.token']);
  });

  it.each(['', '\n'])('is created again when the file contains %j', (content) => {
    writeFileSync(file, content);
    expect(readSecret(file)).toBeUndefined();
    const secret = ensureSecret(file);
    expect(secret).toHaveLength(43);
    expect(readSecret(file)).toBe(secret);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['a.token']);
  });

  it('is the one that another process stored first', () => {
    expect(storeSecret(file, 'first')).toBe('first');
    expect(storeSecret(file, 'second')).toBe('first');
    expect(readdirSync(directory)).toEqual(['a.token']);
  });
});
