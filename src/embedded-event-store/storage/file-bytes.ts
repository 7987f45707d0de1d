import { open, rm, type FileHandle } from 'node:fs/promises';
import { OWNER_ONLY } from './directory.js';

/** Reads `length` bytes at a file offset; fewer only where the file ends. */
export async function readAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

/** Writes all bytes at a file offset. */
export async function writeAt(handle: FileHandle, bytes: Buffer, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await handle.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
}

/** Writes a file, in place of one that is there, and syncs it; leaves none where that fails. Its name is not synced. */
export async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const handle = await open(path, 'w', OWNER_ONLY);
  try {
    await writeAt(handle, bytes, 0);
    await handle.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}
