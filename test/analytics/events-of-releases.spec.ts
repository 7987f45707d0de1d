import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { committedRows, ExportBench, positionsOf } from './support/export-bench.js';

let bench: ExportBench;
let client: EventStoreDBClient;
let dir: string;

beforeEach(async () => {
  bench = await ExportBench.open();
  client = EventStoreDBClient.connectionString(bench.logBench.store.url);
  dir = bench.newDir();
});

afterEach(async () => {
  await client?.dispose();
  await bench?.close();
});

/** Appends an event as another release would. */
const append = async (stream: string, type: string, data: object, schemaVersion = 1): Promise<void> => {
  const metadata = { schemaVersion, requestId: 'test', appId: 'app' };
  await client.appendToStream(stream, jsonEvent({ id: randomUUID(), type, data: { ...data }, metadata }));
};

const scopes = ['read'];

it('an event of an earlier version is exported as the newest, and one of an unknown type as it is', async () => {
  const first = { appId: 'app', name: 'Pebble', redirectUris: ['https://pebble.example'], scopes, at: 1 };
  await append('application-app', 'application.registered', first);
  await append('plaza_letter-1', 'letter.opened', { subject: 'a post', at: 5 });
  await append('plaza_letter-2', 'letter.closed', {});
  expect(await bench.plaza('export', dir)).toMatchObject({ code: 0 });
  const [registered, opened, closed] = await committedRows(dir);
  expect(registered).toMatchObject({ app_id: 'app', data: '{"scopes":["read"]}', occurred_at: 1_000n });
  expect(opened).toMatchObject({
    type: 'letter.opened',
    data: '{"subject":"a post","at":5}',
    occurred_at: 5_000n,
    by_app_id: 'app',
    app_id: undefined,
  });
  expect(Number(closed?.['occurred_at'])).toBeGreaterThan(Date.UTC(2026, 0) * 1_000);
  expect(readFileSync(join(dir, 'applications.json'), 'utf8')).toBe('{"app_id":"app","name":"Pebble"}\n');
});

it.each([
  [
    'of an unknown type with encrypted fields',
    'letter.sent',
    { at: 1, sealed: {} },
    1,
    'has encrypted fields',
  ],
  ['of a later version', 'post.deleted', { at: 1 }, 9, 'schema version 9'],
  [
    'with a personal field as readable text',
    'profile.changed',
    { bio: 'hello', at: 1 },
    1,
    'are not encrypted',
  ],
])(
  'an event %s ends the export after the events before it, and is named',
  async (_, type, data, version, reason) => {
    await bench.appendPosts(0);
    await append('post-1', type, data, version);
    await bench.appendPosts(1);
    const { code, stderr } = await bench.plaza('export', dir);
    const [last = ''] = stderr.trim().split('\n').slice(-1);
    expect([code, last]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(`^event [\\w-]+ of type ${type} at \\d+ cannot be exported: .*${reason}`),
      ),
    ]);
    expect(await positionsOf(dir)).toEqual((await bench.logged()).slice(0, 1));
  },
);
