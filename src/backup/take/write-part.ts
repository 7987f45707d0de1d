import { createHash } from 'node:crypto';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../launch/files.js';
import { MANIFEST, notes, partManifest } from '../format/manifest.js';
import type { BackupFile, BackupManifest, BackupPart } from '../format/manifest.js';
import { unpacked } from '../format/multi-file-stream.js';
import { Failure } from '../../operator/cli/failure.js';
import { OWNER_ONLY, OWNER_ONLY_DIRECTORY, settle, writeNew } from './durable-files.js';

/** What all manifests of one backup say. */
export type Common = Pick<BackupManifest, 'format' | 'backupId' | 'networkId' | 'takenAt' | 'version'>;

/** A directory that is still written to. */
export const unfinished = (path: string) => `${path}.unfinished`;

/**
 * Writes one part as it comes: under another name, with its manifest last, so that a directory of the part's name is
 * whole. Answers what the backup's manifest says of it. @throws {Failure}
 */
export async function writePart(
  dir: string,
  part: BackupPart,
  common: Common,
  stream: AsyncIterable<Uint8Array>,
  onProgress: (done: number, total: number) => void,
): Promise<BackupManifest['parts'][number]> {
  const place = join(dir, part);
  await mkdir(unfinished(place), { mode: OWNER_ONLY_DIRECTORY });
  const writer = new FilesWriter(unfinished(place), onProgress);
  let facts: object;
  try {
    facts = await writer.write(stream);
  } catch (error) {
    throw error instanceof Failure ? error : brokenOff(part, error);
  } finally {
    await writer.close();
  }
  const manifest = partManifest.parse({ ...common, part, note: notes[part], files: writer.files, ...facts });
  const manifestSha256 = await writeNew(join(unfinished(place), MANIFEST), asText(manifest));
  syncDirectory(unfinished(place));
  await settle(unfinished(place), place);
  // What was said to be the total before was an estimate.
  onProgress(writer.done, writer.done);
  return { part, bytes: writer.done, manifestSha256 };
}

export const asText = (manifest: object): string => `${JSON.stringify(manifest, undefined, 2)}\n`;

function brokenOff(part: BackupPart, cause: unknown): Failure {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Failure(`the copy of the part ${part} broke off (${why}); run the command again`);
}

class FilesWriter {
  readonly files: BackupFile[] = [];
  done = 0;
  #open: { name: string; about: object; handle: FileHandle; bytes: number } | undefined;
  #hash = createHash('sha256');

  constructor(
    private readonly dir: string,
    private readonly onProgress: (done: number, total: number) => void,
  ) {}

  /** Answers what the sender says of the whole at the end. */
  async write(stream: AsyncIterable<Uint8Array>): Promise<object> {
    let total = 0;
    for await (const piece of unpacked(stream)) {
      if (piece.kind === 'size') total = piece.bytes;
      else if (piece.kind === 'file') await this.#begin(piece.name, piece.about);
      else if (piece.kind === 'data') await this.#append(piece.bytes);
      else if (piece.kind === 'sum') await this.#finish(piece.bytes, piece.sha256);
      else if (piece.kind === 'fault') throw new Error(piece.message);
      else return piece.facts;
      this.onProgress(this.done, Math.max(total, this.done));
    }
    throw new Error('it ended too early');
  }

  async close(): Promise<void> {
    await this.#open?.handle.close();
  }

  async #begin(name: string, about: object): Promise<void> {
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name)) throw new Error('a file has a name that is none');
    this.#hash = createHash('sha256');
    const handle = await open(join(this.dir, name), 'wx', OWNER_ONLY);
    this.#open = { name, about, handle, bytes: 0 };
  }

  async #append(bytes: Buffer): Promise<void> {
    const file = this.#current();
    this.#hash.update(bytes);
    await file.handle.writeFile(bytes);
    file.bytes += bytes.length;
    this.done += bytes.length;
  }

  async #finish(bytes: number, sha256: string): Promise<void> {
    const file = this.#current();
    if (bytes !== file.bytes || sha256 !== this.#hash.digest('hex'))
      throw new Error(`${file.name} did not arrive as it was sent`);
    await file.handle.sync();
    await file.handle.close();
    this.#open = undefined;
    this.files.push({ name: file.name, bytes, sha256, ...file.about });
  }

  #current() {
    if (!this.#open) throw new Error('there are bytes of no file');
    return this.#open;
  }
}
