import { createHash } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../../../launch/files.js';

export const OWNER_ONLY = 0o600;
export const OWNER_ONLY_DIRECTORY = 0o700;

/** Writes a new file and syncs its content, but not its directory. Returns the SHA-256 of the content. */
export async function writeNewFile(path: string, content: string): Promise<string> {
  const handle = await open(path, 'wx', OWNER_ONLY);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return createHash('sha256').update(content).digest('hex');
}

export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  syncDirectory(dirname(to));
}
