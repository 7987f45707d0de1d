import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { startEventStore, type RunningEventStore } from '../server.js';
import { clientAddress } from './client-address.js';

const HTTP2 = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

let dir: string;
let store: RunningEventStore;
let client: EventStoreDBClient;
const strangers: TLSSocket[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plaza-arrivals-'));
  const limits = { unidentified: 1, silent: 2, timeoutMs: 300_000 };
  const place = { dir, host: '127.0.0.1', tls: true };
  store = await startEventStore({
    ...place,
    port: 0,
    limits,
    log: () => undefined,
    now: () => new Date(),
  });
  client = EventStoreDBClient.connectionString(await clientAddress({ ...place, port: store.port }));
});

afterEach(async () => {
  for (const each of strangers.splice(0)) each.destroy();
  await client.dispose();
  await store.close();
  await rm(dir, { recursive: true });
});

/** Speaks HTTP/2, and sends no credentials. */
async function stranger(): Promise<TLSSocket> {
  const socket = connect({
    port: store.port,
    host: '127.0.0.1',
    ALPNProtocols: ['h2'],
    rejectUnauthorized: false,
  });
  strangers.push(socket);
  socket.on('error', () => undefined).resume();
  await once(socket, 'secureConnect');
  socket.write(HTTP2);
  return socket;
}

it('over TLS, the number of connections without credentials is limited, whatever their protocol', async () => {
  const first = await stranger();
  const gone = once(first, 'close');
  await stranger();
  expect(first.destroyed).toBe(false);
  await stranger();
  await gone;
});

it('over TLS, a connection with credentials stays open, however many come after it', async () => {
  const append = (n: number) => client.appendToStream('s', jsonEvent({ type: 'tested', data: { n } }));
  await append(0);
  const live = client.subscribeToStream('s');
  const events = live[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ event: { data: { n: 0 } } });
  for (let n = 0; n < 6; n++) await stranger();
  await append(1);
  expect((await events.next()).value).toMatchObject({ event: { data: { n: 1 } } });
  await live.unsubscribe();
});
