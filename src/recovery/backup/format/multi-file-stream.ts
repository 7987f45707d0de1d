/**
 * Encoding of several files, each with its checksum, in one HTTP response. It is a sequence of frames: kind (one
 * letter), length (u32, big-endian), content. The last frame marks the end, so a response that breaks off is
 * detected.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';

export interface SentFile {
  readonly name: string;
  readonly about?: object;
  readonly bytes: () => AsyncIterable<Buffer>;
}

export type Frame =
  | { readonly kind: 'size'; readonly bytes: number }
  | { readonly kind: 'file'; readonly name: string; readonly about: object }
  | { readonly kind: 'data'; readonly bytes: Buffer }
  | { readonly kind: 'sum'; readonly bytes: number; readonly sha256: string }
  | { readonly kind: 'end'; readonly facts: object }
  | { readonly kind: 'fault'; readonly message: string };

const letters = { S: 'size', F: 'file', D: 'data', C: 'sum', E: 'end', X: 'fault' } as const;
const HEADER_LENGTH = 5;
const MAX_CONTENT_LENGTH = 64 * 1024 * 1024 + 1024;

const contents = {
  size: z.object({ bytes: z.number() }),
  file: z.object({ name: z.string(), about: z.looseObject({}) }),
  sum: z.object({ bytes: z.number(), sha256: z.string() }),
  end: z.object({ facts: z.looseObject({}) }),
  fault: z.object({ message: z.string() }),
};

/**
 * Encodes the files, and then the result of `facts()`, which is called after the last file. An error does not reject:
 * it ends the stream with a `fault` frame, with the message that `explain` gives.
 */
export async function* encodeFiles(
  size: number,
  files: AsyncIterable<SentFile> | Iterable<SentFile>,
  facts: () => object,
  explain: (error: unknown) => string,
): AsyncGenerator<Buffer, void> {
  try {
    yield jsonFrame('S', { bytes: size });
    for await (const { name, about = {}, bytes } of files) {
      yield jsonFrame('F', { name, about });
      const hash = createHash('sha256');
      let sent = 0;
      for await (const chunk of bytes()) {
        hash.update(chunk);
        sent += chunk.length;
        yield Buffer.concat([frameHeader('D', chunk.length), chunk]);
      }
      yield jsonFrame('C', { bytes: sent, sha256: hash.digest('hex') });
    }
    yield jsonFrame('E', { facts: facts() });
  } catch (error) {
    yield jsonFrame('X', { message: explain(error) });
  }
}

/**
 * Decodes such a stream to frames. A stream that breaks off between frames or within one ends without an `end` frame
 * and without an error: the caller must check that.
 * @throws {Error} the bytes are not frames.
 */
export async function* decodeFrames(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, void> {
  let pending: Buffer[] = [];
  let length = 0;
  let needed = HEADER_LENGTH;
  for await (const chunk of stream) {
    pending.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    length += chunk.byteLength;
    if (length < needed) continue;
    let bytes = Buffer.concat(pending, length);
    for (;;) {
      needed = bytes.length < HEADER_LENGTH ? HEADER_LENGTH : HEADER_LENGTH + contentLength(bytes);
      if (bytes.length < needed) break;
      yield parseFrame(bytes.subarray(0, needed));
      bytes = bytes.subarray(needed);
    }
    pending = [bytes];
    length = bytes.length;
  }
}

function jsonFrame(letter: keyof typeof letters, content: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(content));
  return Buffer.concat([frameHeader(letter, bytes.length), bytes]);
}

function frameHeader(letter: keyof typeof letters, length: number): Buffer {
  const header = Buffer.alloc(HEADER_LENGTH, letter);
  header.writeUInt32BE(length, 1);
  return header;
}

function contentLength(bytes: Buffer): number {
  const length = bytes.readUInt32BE(1);
  if (length > MAX_CONTENT_LENGTH)
    throw new Error(`the response is no part of a backup: it has a frame of ${length} bytes`);
  return length;
}

function parseFrame(bytes: Buffer): Frame {
  const kind = (letters as Record<string, Frame['kind'] | undefined>)[bytes.toString('latin1', 0, 1)];
  const content = bytes.subarray(HEADER_LENGTH);
  if (kind === 'data') return { kind, bytes: content };
  if (kind === undefined)
    throw new Error('the response is no part of a backup: it has a frame of unknown kind');
  return { kind, ...contents[kind].parse(JSON.parse(content.toString())) } as Frame;
}
