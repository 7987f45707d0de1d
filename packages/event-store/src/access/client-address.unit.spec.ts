import { EventStoreDBClient } from '@eventstore/db-client';
import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEventStore, type RunningEventStore } from '../server.js';
import { clientAddress, CREDENTIALS_FILE } from './client-address.js';

let dir = '';
let store: RunningEventStore | undefined;

afterEach(async () => {
  await store?.close();
  await rm(dir, { recursive: true });
});

describe('the address for a client over TLS', () => {
  it('encodes any characters of a password', async () => {
    dir = await mkdtemp(join(tmpdir(), 'plaza-address-'));
    await writeFile(join(dir, CREDENTIALS_FILE), "someone:a:b@c/d%41$&$'$`#?e-long-one\n");
    const host = '127.0.0.1';
    const log = (): void => undefined;
    store = await startEventStore({ dir, host, port: 0, tls: true, now: () => new Date(), log });
    const url = await clientAddress({ dir, host, port: store.port, tls: true });
    const client = EventStoreDBClient.connectionString(url);
    const tombstone = await client.tombstoneStream('a-stream');
    expect(tombstone.position).toBeDefined();
    await client.dispose();
  });
});
