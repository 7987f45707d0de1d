import { describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryLockedError } from '../errors.js';
import { lockDirectory } from './directory-lock.js';

describe('the lock of a directory', () => {
  it('is given to one holder at a time', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'plaza-lock-'));
    const unlock = lockDirectory(dir);
    expect(() => lockDirectory(dir)).toThrow(DirectoryLockedError);
    expect(() => lockDirectory(dir)).toThrow(dir);
    unlock();
    const again = lockDirectory(dir);
    again();
    await rm(dir, { recursive: true });
  });
});
