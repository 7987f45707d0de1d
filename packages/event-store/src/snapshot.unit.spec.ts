import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LogSnapshot } from './snapshot.js';
import { NO_STREAM } from './storage/expected-revision.js';
import { openStore } from './storage/store.js';
import type { Store } from './storage/store.js';

const SEGMENT_LENGTH = 2_000;
const LONGER_THAN_A_CHUNK = 5 * 1024 * 1024;

let dir: string;
let store: Store;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'plaza-snapshot-'));
  store = await opened(dir);
});

afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true });
});

function opened(place: string): Promise<Store> {
  return openStore({
    dir: place,
    fsync: false,
    segmentLength: SEGMENT_LENGTH,
    log: () => undefined,
    now: () => new Date(0),
    newId: randomUUID,
  });
}

async function append(length = 100): Promise<{ position: number; eventId: string }> {
  const id = randomUUID();
  const data = Buffer.from('x'.repeat(length));
  const event = { id, type: 't', isJson: false, data, metadata: Buffer.alloc(0) };
  const result = await store.append(`stream-${id}`, NO_STREAM, [event]);
  if (result.kind !== 'appended') throw new Error(result.kind);
  return { position: result.position ?? 0, eventId: id };
}

async function copied(snapshot: LogSnapshot): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const segment of snapshot.segments()) {
    const chunks: Buffer[] = [];
    for await (const chunk of segment.bytes()) chunks.push(Buffer.from(chunk));
    files.set(segment.name, Buffer.concat(chunks));
  }
  return files;
}
describe('a snapshot of the log', () => {
  it('ends with the wanted event, wherever it is, and opens as a log', async () => {
    const all = [];
    for (let n = 0; n < 40; n++) all.push(await append(n === 20 ? LONGER_THAN_A_CHUNK : undefined));
    await append();
    for (const [index, wanted] of all.entries()) {
      const snapshot = await LogSnapshot.of(dir, wanted.position);
      const files = await copied(snapshot);
      expect(snapshot.head).toEqual(wanted);
      if (index % 13 !== 0) continue;
      const place = mkdtempSync(join(tmpdir(), 'plaza-snapshot-copy-'));
      for (const [name, bytes] of files) writeFileSync(join(place, name), bytes);
      const copy = await opened(place);
      expect(copy.index.count).toBe(index + 1);
      await copy.close();
      rmSync(place, { recursive: true });
    }
  });

  it('ignores bytes after that event, torn or not', async () => {
    const wanted = await append();
    await store.close();
    const file = join(dir, '0000000000000000.log');
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from('torn')]));
    const snapshot = await LogSnapshot.of(dir, wanted.position);
    await copied(snapshot);
    expect(snapshot.head).toEqual(wanted);
  });

  it('refuses a log in which an acknowledged event is damaged, and one that lacks the event', async () => {
    const damaged = await append();
    const wanted = await append();
    await expect(copied(await LogSnapshot.of(dir, wanted.position + 10_000))).rejects.toThrow(
      /ends before the last event to copy/,
    );
    const file = join(dir, '0000000000000000.log');
    const content = readFileSync(file);
    content[damaged.position + 50] = (content[damaged.position + 50] ?? 0) ^ 1;
    writeFileSync(file, content);
    await expect(copied(await LogSnapshot.of(dir, wanted.position))).rejects.toThrow(
      /a backup found acknowledged events damaged/,
    );
  });
});
