import { createHash } from 'node:crypto';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../../launch/files.js';
import { MANIFEST_FILE, partInstructions, partManifest } from '../format/manifest.js';
import type { BackupFile, BackupManifest, BackupPart } from '../format/manifest.js';
import { decodeFrames } from '../format/multi-file-stream.js';
import { Failure } from '../../../base/terminal/failure.js';
import { OWNER_ONLY, OWNER_ONLY_DIRECTORY, renameDurably, writeNewFile } from './durable-files.js';

export type CommonManifest = Pick<
  BackupManifest,
  'format' | 'backupId' | 'networkId' | 'takenAt' | 'version'
>;

export const unfinishedPath = (path: string) => `${path}.unfinished`;

/**
 * Writes one part of a backup into a directory with a temporary name, its manifest last, then renames it: a directory
 * with the name of the part is complete. Returns the entry for the manifest of the backup.
 * @throws {Failure}
 */
export async function writePart(
  dir: string,
  part: BackupPart,
  common: CommonManifest,
  stream: AsyncIterable<Uint8Array>,
  onProgress: (done: number, total: number) => void,
): Promise<BackupManifest['parts'][number]> {
  const directory = join(dir, part);
  await mkdir(unfinishedPath(directory), { mode: OWNER_ONLY_DIRECTORY });
  const writer = new FilesWriter(unfinishedPath(directory), onProgress);
  let facts: object;
  try {
    facts = await writer.write(stream);
  } catch (error) {
    throw error instanceof Failure ? error : brokenOff(part, error);
  } finally {
    await writer.close();
  }
  const manifest = partManifest.parse({
    ...common,
    part,
    note: partInstructions[part],
    files: writer.files,
    ...facts,
  });
  const manifestSha256 = await writeNewFile(
    join(unfinishedPath(directory), MANIFEST_FILE),
    manifestText(manifest),
  );
  syncDirectory(unfinishedPath(directory));
  await renameDurably(unfinishedPath(directory), directory);
  onProgress(writer.done, writer.done);
  return { part, bytes: writer.done, manifestSha256 };
}

export const manifestText = (manifest: object): string => `${JSON.stringify(manifest, undefined, 2)}\n`;

function brokenOff(part: BackupPart, cause: unknown): Failure {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Failure(`the copy of the part ${part} broke off (${reason}); run the command again`);
}

class FilesWriter {
  readonly files: BackupFile[] = [];
  done = 0;
  #openFile: { name: string; about: object; handle: FileHandle; bytes: number } | undefined;
  #hash = createHash('sha256');

  constructor(
    private readonly dir: string,
    private readonly onProgress: (done: number, total: number) => void,
  ) {}

  async write(stream: AsyncIterable<Uint8Array>): Promise<object> {
    let total = 0;
    for await (const frame of decodeFrames(stream)) {
      if (frame.kind === 'size') total = frame.bytes;
      else if (frame.kind === 'file') await this.#beginFile(frame.name, frame.about);
      else if (frame.kind === 'data') await this.#append(frame.bytes);
      else if (frame.kind === 'sum') await this.#finishFile(frame.bytes, frame.sha256);
      else if (frame.kind === 'fault') throw new Error(frame.message);
      else return frame.facts;
      this.onProgress(this.done, Math.max(total, this.done));
    }
    throw new Error('it ended too early');
  }

  async close(): Promise<void> {
    await this.#openFile?.handle.close();
  }

  async #beginFile(name: string, about: object): Promise<void> {
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name))
      throw new Error('the server sent a file of the backup that has an invalid name');
    this.#hash = createHash('sha256');
    const handle = await open(join(this.dir, name), 'wx', OWNER_ONLY);
    this.#openFile = { name, about, handle, bytes: 0 };
  }

  async #append(bytes: Buffer): Promise<void> {
    const file = this.#current();
    this.#hash.update(bytes);
    await file.handle.writeFile(bytes);
    file.bytes += bytes.length;
    this.done += bytes.length;
  }

  async #finishFile(bytes: number, sha256: string): Promise<void> {
    const file = this.#current();
    if (bytes !== file.bytes || sha256 !== this.#hash.digest('hex'))
      throw new Error(
        `the file ${file.name} of the backup did not arrive as it was sent: length or checksum differ`,
      );
    await file.handle.sync();
    await file.handle.close();
    this.#openFile = undefined;
    this.files.push({ name: file.name, bytes, sha256, ...file.about });
  }

  #current() {
    if (!this.#openFile) throw new Error('the server sent bytes of the backup before the name of their file');
    return this.#openFile;
  }
}
