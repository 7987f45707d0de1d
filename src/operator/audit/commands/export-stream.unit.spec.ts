import { describe, expect, it } from '@jest/globals';
import { leafHash, MerkleTree } from '../../../log/transparency/merkle-tree.js';
import { readExport } from './export-stream.js';

const entries = ['{"a":1}', '{"a":"\u2028 ü"}', '{"a":"{\\"note\\":1}"}'];
const note = JSON.stringify({ note: 'text\n\n\u2014 name signature\n' });
const sent = Buffer.from([...entries, note, ''].join('\n'));

async function* inChunks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function received(bytes: Buffer, size = 7) {
  const written: Uint8Array[] = [];
  const read = await readExport(
    inChunks(bytes, size),
    async (lines) => void written.push(Buffer.from(lines)),
  );
  return { read, written: Buffer.concat(written).toString() };
}

describe('a streamed export', () => {
  it.each([1, 2, 7, 10_000])('is read in chunks of %p bytes', async (size) => {
    const tree = new MerkleTree();
    for (const entry of entries) tree.append(leafHash(Buffer.from(entry)));
    expect(await received(sent, size)).toEqual({
      read: { note: 'text\n\n\u2014 name signature\n', count: 3, root: tree.root() },
      written: `${entries.join('\n')}\n`,
    });
  });

  it('is refused wherever it broke off', async () => {
    for (let length = 0; length < sent.length; length++)
      await expect(received(sent.subarray(0, length))).rejects.toThrow(
        'the export broke off (it ended too early); run the command again',
      );
  });

  it('says why the server could not go on', async () => {
    const fault = Buffer.from(`${entries[0]}\n{"fault":"the audit was emptied"}\n`);
    await expect(received(fault)).rejects.toThrow('the export broke off (the audit was emptied)');
  });

  it('is refused if it has no lines', async () => {
    await expect(received(Buffer.alloc(3 * 1024 * 1024, 'x'), 65_536)).rejects.toThrow('it has no lines');
  });
});
