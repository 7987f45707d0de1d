import { createHash } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../../launch/files.js';

/** What a backup makes is its owner's alone. */
export const OWNER_ONLY = 0o600;
export const OWNER_ONLY_DIRECTORY = 0o700;

/** Writes a new file, for good once this returns. Answers its SHA-256. */
export async function writeNew(path: string, content: string): Promise<string> {
  const handle = await open(path, 'wx', OWNER_ONLY);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return createHash('sha256').update(content).digest('hex');
}

/** Gives it its name, for good once this returns. */
export async function settle(from: string, to: string): Promise<void> {
  await rename(from, to);
  syncDirectory(dirname(to));
}
