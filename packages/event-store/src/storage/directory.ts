import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

export const OWNER_ONLY = 0o600;
const OWNER_ONLY_DIRECTORY = 0o700;

/** Creates a directory and its missing parents, for their owner only. They are durable once this returns. */
export async function makeDirectory(dir: string): Promise<void> {
  const path = resolve(dir);
  const first = await mkdir(path, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  if (first === undefined) return;
  const above = dirname(first);
  for (let made = path; made !== above; made = dirname(made)) await syncDirectory(dirname(made));
}

/** Syncs a directory: files created, renamed or removed in it stay so after a power failure. */
export async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
