import { open, rm, type FileHandle } from 'node:fs/promises';
import { OWNER_ONLY } from './directory.js';

/** Reads `length` bytes of a file at `offset`; fewer only if the file ends before. */
export async function readBytesAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

export async function writeAt(handle: FileHandle, bytes: Buffer, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await handle.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
}

/** Creates or replaces a file and syncs its content, but not its directory. Removes the file if that fails. */
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
