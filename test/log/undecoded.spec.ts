import { randomUUID } from 'node:crypto';
import { jsonEvent, EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { UndecodedEvent, UndecodedLog } from '../../src/log/event-log.js';
import { openUndecodedLog } from '../../src/log/open-log.js';
import { LogBench } from './support/log-bench.js';

let bench: LogBench;
let log: UndecodedLog;
let client: EventStoreDBClient;

beforeAll(async () => {
  bench = await LogBench.open();
  log = openUndecodedLog(bench.store.url);
  client = EventStoreDBClient.connectionString(bench.store.url);
});

afterAll(async () => {
  await client?.dispose();
  await log?.close();
  await bench?.close();
});

const append = async (stream: string, type: string, data: object): Promise<string> => {
  const id = randomUUID();
  await client.appendToStream(
    stream,
    jsonEvent({ id, type, data: { ...data }, metadata: { schemaVersion: 7 } }),
  );
  return id;
};

async function readAll(after?: { position: bigint; eventId: string }): Promise<readonly UndecodedEvent[]> {
  const stop = new AbortController();
  const events: UndecodedEvent[] = [];
  for await (const batch of log.undecoded({ after, batchSize: 3, signal: stop.signal })) {
    events.push(...batch.events);
    if (batch.caughtUp) break;
  }
  stop.abort();
  return events;
}

it('the log yields every event of the network by position as stored, also of types and categories it does not know', async () => {
  const posts = [
    await bench.appendPost('alice', 'a text that is encrypted'),
    await bench.appendPost('alice', 'another one'),
  ];
  const unknown = await append('post-from-later', 'post.translated', { to: 'fr' });
  const future = await append('plaza_case-1', 'case.opened', { at: 1 });
  await append('orders-1', 'post.created', { of: 'another application' });
  await append('networks', 'post.created', { of: 'another application' });
  const last = await bench.appendPost('alice', 'the last one');
  const events = await readAll();
  expect(events.map(({ id }) => id)).toEqual([...posts.map(({ id }) => id), unknown, future, last.id]);
  expect(events.map(({ position }) => position)).toEqual(
    events.map(({ position }) => position).toSorted((a, b) => (a < b ? -1 : 1)),
  );
  expect(events.slice(2, 4)).toMatchObject([
    { type: 'post.translated', data: { to: 'fr' }, metadata: { schemaVersion: 7 } },
    { type: 'case.opened', stream: 'plaza_case-1', revision: 0n },
  ]);
  expect(JSON.stringify(events.map(({ data }) => data))).not.toMatch(/a text|another one/);
  expect(events[0]?.data).toMatchObject({ sealed: { box: expect.any(String) } });
  const [, second] = posts;
  expect(await readAll({ position: second!.position, eventId: second!.id })).toEqual(events.slice(2));
});
