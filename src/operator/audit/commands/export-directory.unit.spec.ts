import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { leafHash, MerkleTree } from '../../../log/transparency/merkle-tree.js';
import { signNote } from '../../../log/transparency/signed-note.js';
import { exportNoteText } from '../export-manifest.js';
import { writeExport } from './export-directory.js';

let dir: string;

beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'plaza-export-')), 'export');
});
afterEach(() => rmSync(join(dir, '..'), { recursive: true }));

const entries = ['{"actorId":1}', '{"actorId":2}'];

function rootOf(lines: readonly string[]): string {
  const tree = new MerkleTree();
  for (const line of lines) tree.append(leafHash(Buffer.from(line)));
  return tree.root().toString('base64');
}

const noteOf = (lines: readonly string[]) =>
  signNote(
    exportNoteText({
      exportId: 'e',
      network: 'n',
      operatorId: null,
      exportedAt: '2026-01-31T09:30:00.000Z',
      query: '',
      upTo: { position: 7, eventId: '7f1d1b9e-0000-4000-8000-000000000000' },
      entries: { count: lines.length, root: rootOf(lines) },
    }),
    [],
  );

/** `note`: undefined if the stream breaks off before it. */
async function* sent(lines: readonly string[], note: string | undefined) {
  for (const line of lines) yield Buffer.from(`${line}\n`);
  if (note !== undefined) yield Buffer.from(`${JSON.stringify({ note })}\n`);
}

const write = (lines: readonly string[], note: string | undefined) =>
  writeExport(dir, () => Promise.resolve(sent(lines, note)));

describe('the directory of an export', () => {
  it('has entries and manifest, and is not written again', async () => {
    await write(entries, noteOf(entries));
    expect(readFileSync(join(dir, 'audit.jsonl'), 'utf8')).toBe(`${entries.join('\n')}\n`);
    expect(readFileSync(join(dir, 'manifest.note'), 'utf8')).toBe(noteOf(entries));
    await expect(write(entries, noteOf(entries))).rejects.toThrow('is not empty');
  });

  it('has no manifest if the export broke off, and can then be used again', async () => {
    await expect(write(entries, undefined)).rejects.toThrow('the export broke off (it ended too early)');
    expect(readdirSync(dir)).toEqual(['audit.jsonl.unfinished']);
    await write(entries, noteOf(entries));
    expect(readdirSync(dir).toSorted()).toEqual(['audit.jsonl', 'manifest.note']);
  });

  it.each([
    ['other entries', noteOf(['{"actorId":1}', '{"actorId":3}'])],
    ['more entries', noteOf([...entries, '{"actorId":3}'])],
    ['no manifest', signNote('something else\n', [])],
  ])('has no manifest if the note is of %s', async (_of, note) => {
    await expect(write(entries, note)).rejects.toThrow('the export did not arrive as it was sent');
    expect(readdirSync(dir)).toEqual(['audit.jsonl.unfinished']);
  });

  it('takes one export at a time', async () => {
    const second = Promise.withResolvers<unknown>();
    const first = writeExport(dir, () =>
      Promise.resolve(
        (async function* () {
          second.resolve(await write(entries, noteOf(entries)).catch((error: unknown) => error));
          yield* sent(entries, noteOf(entries));
        })(),
      ),
    );
    await first;
    expect(String(await second.promise)).toContain('another export is being written to');
  });
});
