import { z } from 'zod';
import { leafHash, MerkleTree } from '../../../log/transparency/merkle-tree.js';
import { Failure } from '../../../base/terminal/failure.js';

const NEWLINE = 0x0a;
/** An entry takes a kilobyte, with the longest reason and identifiers ten. */
const MAX_LINE = 1024 * 1024;

const lastLine = z.union([z.strictObject({ note: z.string() }), z.strictObject({ fault: z.string() })]);

export interface ReceivedExport {
  readonly note: string;
  readonly count: number;
  readonly root: Buffer;
}

/**
 * Reads an export as src/operator/audit/export.ts sends it. `write` gets the bytes of whole lines, one call after the
 * other, and throws a {@link Failure}.
 * @throws {Failure} it broke off, or the server could not go on.
 */
export async function readExport(
  stream: AsyncIterable<Uint8Array>,
  write: (lines: Uint8Array) => Promise<void>,
): Promise<ReceivedExport> {
  const tree = new MerkleTree();
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.concat([rest, chunk]);
      let done = 0;
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, done)) {
        const line = bytes.subarray(done, end);
        const last = lastLineIn(line);
        if (last !== undefined) {
          await write(bytes.subarray(0, done));
          return { note: noteIn(last), count: tree.size, root: tree.root() };
        }
        tree.append(leafHash(line));
        done = end + 1;
      }
      await write(bytes.subarray(0, done));
      rest = bytes.subarray(done);
      if (rest.length > MAX_LINE) throw new Error('it has no lines');
    }
  } catch (error) {
    throw error instanceof Failure ? error : brokenOff((error as Error).message);
  }
  throw brokenOff('it ended too early');
}

/** Undefined: an entry. Its canonical form begins with another name. */
function lastLineIn(line: Buffer): z.infer<typeof lastLine> | undefined {
  const begin = line.subarray(0, 10).toString('latin1');
  if (!begin.startsWith('{"note":') && !begin.startsWith('{"fault":')) return undefined;
  return lastLine.parse(JSON.parse(line.toString('utf8')));
}

function noteIn(last: z.infer<typeof lastLine>): string {
  if ('note' in last) return last.note;
  throw brokenOff(last.fault);
}

const brokenOff = (reason: string) => new Failure(`the export broke off (${reason}); run the command again`);
