/**
 * Several files on their way through one response, each with its checksum. A sequence of pieces: kind (one letter), length
 * (u32, big-endian), content. A connection that breaks off can be told from the end, which is a piece of its own.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';

/** One file to send. */
export interface SentFile {
  readonly name: string;
  /** What the receiver has to know to put it back. */
  readonly about?: object;
  readonly bytes: () => AsyncIterable<Buffer>;
}

export type Frame =
  /** About how many bytes there will be, for whoever watches. */
  | { readonly kind: 'size'; readonly bytes: number }
  | { readonly kind: 'file'; readonly name: string; readonly about: object }
  | { readonly kind: 'data'; readonly bytes: Buffer }
  /** The file is whole. */
  | { readonly kind: 'sum'; readonly bytes: number; readonly sha256: string }
  /** All files were sent. */
  | { readonly kind: 'end'; readonly facts: object }
  /** They were not, and this is why. */
  | { readonly kind: 'fault'; readonly message: string };

const letters = { S: 'size', F: 'file', D: 'data', C: 'sum', E: 'end', X: 'fault' } as const;
const HEADER_LENGTH = 5;
/** Nothing longer is sent, so a length beyond it is no piece. */
const LONGEST_PIECE = 64 * 1024 * 1024 + 1024;

const contents = {
  size: z.object({ bytes: z.number() }),
  file: z.object({ name: z.string(), about: z.looseObject({}) }),
  sum: z.object({ bytes: z.number(), sha256: z.string() }),
  end: z.object({ facts: z.looseObject({}) }),
  fault: z.object({ message: z.string() }),
};

/** The files as pieces, then the facts, which are asked for when all was sent. A fault on the way is said, and ends it. */
export async function* packed(
  size: number,
  files: AsyncIterable<SentFile> | Iterable<SentFile>,
  facts: () => object,
  explain: (error: unknown) => string,
): AsyncGenerator<Buffer, void> {
  try {
    yield described('S', { bytes: size });
    for await (const { name, about = {}, bytes } of files) {
      yield described('F', { name, about });
      const hash = createHash('sha256');
      let sent = 0;
      for await (const chunk of bytes()) {
        hash.update(chunk);
        sent += chunk.length;
        yield Buffer.concat([headerOf('D', chunk.length), chunk]);
      }
      yield described('C', { bytes: sent, sha256: hash.digest('hex') });
    }
    yield described('E', { facts: facts() });
  } catch (error) {
    yield described('X', { message: explain(error) });
  }
}

/** The pieces as they come. Throws when what comes is not made of pieces; says nothing of a stream that breaks off. */
export async function* unpacked(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, void> {
  let waiting: Buffer[] = [];
  let length = 0;
  let wanted = HEADER_LENGTH;
  for await (const chunk of stream) {
    waiting.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    length += chunk.byteLength;
    if (length < wanted) continue;
    let bytes = Buffer.concat(waiting, length);
    for (;;) {
      wanted = bytes.length < HEADER_LENGTH ? HEADER_LENGTH : HEADER_LENGTH + contentLength(bytes);
      if (bytes.length < wanted) break;
      yield pieceOf(bytes.subarray(0, wanted));
      bytes = bytes.subarray(wanted);
    }
    waiting = [bytes];
    length = bytes.length;
  }
}

function described(letter: keyof typeof letters, content: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(content));
  return Buffer.concat([headerOf(letter, bytes.length), bytes]);
}

function headerOf(letter: keyof typeof letters, length: number): Buffer {
  const header = Buffer.alloc(HEADER_LENGTH, letter);
  header.writeUInt32BE(length, 1);
  return header;
}

function contentLength(bytes: Buffer): number {
  const length = bytes.readUInt32BE(1);
  if (length > LONGEST_PIECE) throw new Error('what comes is no part of a backup');
  return length;
}

function pieceOf(bytes: Buffer): Frame {
  const kind = (letters as Record<string, Frame['kind'] | undefined>)[bytes.toString('latin1', 0, 1)];
  const content = bytes.subarray(HEADER_LENGTH);
  if (kind === 'data') return { kind, bytes: content };
  if (kind === undefined) throw new Error('what comes is no part of a backup');
  return { kind, ...contents[kind].parse(JSON.parse(content.toString())) } as Frame;
}
