import { leafHash, MerkleTree } from './merkle-tree.js';
import { signNote } from './signed-note.js';
import type { NoteSigner } from './signed-note.js';

/** Number of the lines before a note, and the root of their Merkle tree in base64. */
export interface SignedEntries {
  readonly count: number;
  readonly root: string;
}

/**
 * Yields lines, and at last the note that the signers sign over their number and root, as `{"note":…}`; or `{"fault":…}`
 * with the message that `explain` gives. A text without a note was cut off.
 */
export async function* signedLines(
  pages: AsyncIterable<readonly string[]>,
  signers: readonly NoteSigner[],
  noteTextOf: (entries: SignedEntries) => string,
  explain: (error: unknown) => string,
): AsyncGenerator<string, void> {
  const tree = new MerkleTree();
  try {
    for await (const lines of pages) {
      for (const line of lines) tree.append(leafHash(Buffer.from(line)));
      if (lines.length > 0) yield `${lines.join('\n')}\n`;
    }
    const text = noteTextOf({ count: tree.size, root: tree.root().toString('base64') });
    yield `${JSON.stringify({ note: signNote(text, signers) })}\n`;
  } catch (error) {
    yield `${JSON.stringify({ fault: explain(error) })}\n`;
  }
}
