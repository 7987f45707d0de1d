import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../launch/files.js';
import type { PartManifest } from '../../recovery/backup/manifest.js';
import { OWNER_ONLY, OWNER_ONLY_DIRECTORY } from '../backup/files.js';

/** Where the embedded event store has its log. */
const eventStoreIn = (dataDir: string) => join(dataDir, 'eventstore');

/** Copies the log beside the one that is there, for good once this returns. Answers where it is. */
export async function layOut(
  dataDir: string,
  from: string,
  { files }: PartManifest,
  onBytes: (bytes: number) => void,
): Promise<string> {
  const place = `${eventStoreIn(dataDir)}.restoring`;
  await rm(place, { recursive: true, force: true });
  await mkdir(place, { mode: OWNER_ONLY_DIRECTORY });
  for (const { name, bytes } of files) {
    await copyFile(join(from, name), join(place, name), constants.COPYFILE_EXCL);
    const handle = await open(join(place, name), 'r+');
    try {
      await handle.chmod(OWNER_ONLY);
      await handle.sync();
    } finally {
      await handle.close();
    }
    onBytes(bytes);
  }
  syncDirectory(place);
  return place;
}

/** Keeps the one that is there, if there is one. */
export async function keepAside(dataDir: string, kept: string): Promise<void> {
  const log = eventStoreIn(dataDir);
  if (existsSync(log)) await rename(log, join(kept, 'eventstore'));
  syncDirectory(kept);
}

/** Puts what was laid out where none is any more. */
export async function putInPlace(dataDir: string, place: string): Promise<void> {
  await rename(place, eventStoreIn(dataDir));
  syncDirectory(dataDir);
}
