import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { ANY } from '../storage/expected-revision.js';
import { openStore, type ProposedEvent, type Store } from '../storage/store.js';
import { readResponses } from './read-responses.js';

const MEBIBYTE = 1024 * 1024;

let dir: string;
let store: Store;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plaza-links-'));
  store = await openStore({
    dir,
    fsync: false,
    log: () => undefined,
    now: () => new Date(),
    newId: randomUUID,
  });
});

afterEach(async () => {
  await store.close();
  await rm(dir, { recursive: true });
});

const event = (type: string, data: Buffer): ProposedEvent => ({
  id: randomUUID(),
  type,
  isJson: false,
  data,
  metadata: Buffer.alloc(0),
});

describe('a page of small links to large events', () => {
  it.each([true, false])('is resolved in parts, in order (structured ids: %s)', async (structuredIds) => {
    for (let i = 0; i < 6; i++) await store.append('large', ANY, [event('t', Buffer.alloc(400_000, i))]);
    const links = [5, 4, 99, 3, 2, 1, 0, 0].map((n) => event('$>', Buffer.from(`${n}@large`)));
    await store.append('links', ANY, [...links, event('plain', Buffer.of(77))]);
    const ordinals = Array.from({ length: 9 }, (_, i) => 6 + i);
    const parts: Buffer[][] = [];
    for await (const part of readResponses(store, ordinals, { resolveLinks: true, structuredIds }))
      parts.push(part);
    for (const part of parts) expect(Buffer.concat(part).length).toBeLessThan(MEBIBYTE + 10_000);
    const shown = parts.flat().map((bytes) => {
      const read = streamsPb.ReadResp.deserializeBinary(bytes).getEvent()!;
      expect(read.getEvent()?.getId()?.hasStructured() ?? structuredIds).toBe(structuredIds);
      return [read.getEvent()?.getData_asU8()[0], read.getLink()?.getStreamRevision()];
    });
    expect(shown).toEqual([
      [5, '0'],
      [4, '1'],
      [undefined, '2'],
      [3, '3'],
      [2, '4'],
      [1, '5'],
      [0, '6'],
      [0, '7'],
      [77, undefined],
    ]);
  });
});
