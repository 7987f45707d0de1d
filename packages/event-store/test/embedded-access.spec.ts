/** Access to the embedded store: over loopback for its own user, over TLS for clients with the password. */
import { AccessDeniedError, EventStoreDBClient } from '@eventstore/db-client';
import { afterEach, describe, expect, it } from '@jest/globals';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { startEmbeddedEventStore, type EmbeddedEventStore } from '../testing/start.js';
import { asOtherUser, canBeOtherUser, OTHER_UID } from '../testing/other-user.js';
import { collect, events, newStream, numbersOf, rejection } from './support/contract.js';

const running: EmbeddedEventStore[] = [];
const clients: EventStoreDBClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map(async (client) => client.dispose()));
  await Promise.all(running.splice(0).map(async (store) => store.stop()));
});

async function start(...args: string[]): Promise<EmbeddedEventStore> {
  const store = await startEmbeddedEventStore({ args });
  running.push(store);
  return store;
}

function connect(url: string): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(url);
  clients.push(client);
  return client;
}

/** Reads $all as another user, with the client of this project. Prints the error's name or the number of events. */
const READ_ALL = `
const { EventStoreDBClient } = await import(argv[1]);
const client = EventStoreDBClient.connectionString(argv[0]);
let events = 0;
try {
  for await (const _ of client.readAll({ deadline: 20_000 })) events++;
  console.log(events);
} catch (error) {
  console.log(error.name);
}
process.exit();
`;

(canBeOtherUser ? describe : describe.skip)('over loopback, for another user (needs root to be one)', () => {
  it('every call fails, and the log names the user', async () => {
    const store = await start();
    const own = connect(store.url);
    const stream = newStream();
    await own.appendToStream(stream, events(2));
    const client = import.meta.resolve('@eventstore/db-client');
    expect(await asOtherUser(READ_ALL, store.url, client)).toMatch(/Error$/);
    expect(store.logged()).toContain(`"uid":${OTHER_UID}`);
    expect(await numbersOf(own, stream)).toEqual([0, 1]);
  });
});

describe('over TLS', () => {
  it('a client with the certificate and the password uses it as without TLS', async () => {
    const store = await start('--tls');
    const client = connect(store.url);
    const stream = newStream();
    await client.appendToStream(stream, events(3));
    expect(await numbersOf(client, stream)).toEqual([0, 1, 2]);
    const discovered = connect(store.url.replace('esdb://', 'esdb+discover://'));
    await discovered.appendToStream(stream, events(1, { first: 3 }), { expectedRevision: 2n });
    expect(await numbersOf(client, stream)).toEqual([0, 1, 2, 3]);
  });

  it('every other client is rejected', async () => {
    const store = await start('--tls');
    const stream = newStream();
    await connect(store.url).appendToStream(stream, events(1));
    const anonymous = connect(store.url.replace(/\/\/.*@/, '//'));
    expect(await rejection(collect(anonymous.readAll()))).toBeInstanceOf(AccessDeniedError);
    expect(await rejection(collect(anonymous.readStream(stream)))).toBeInstanceOf(AccessDeniedError);
    expect(await rejection(anonymous.appendToStream(stream, events(1)))).toBeInstanceOf(AccessDeniedError);
    expect(await rejection(anonymous.deleteStream(stream))).toBeInstanceOf(AccessDeniedError);
    expect(await rejection(anonymous.tombstoneStream(stream))).toBeInstanceOf(AccessDeniedError);
    const wrong = connect(store.url.replace(/\/\/.*@/, '//plaza:guessed@'));
    expect(await rejection(wrong.appendToStream(stream, events(1)))).toMatchObject({
      message: expect.stringContaining('Unauthenticated'),
    });
    const elsewhere = connect(store.url.replace(/&tlsCAFile=.*/, ''));
    expect((await rejection(elsewhere.appendToStream(stream, events(1)))).message).toMatch(/self.signed/);
    const plain = connect(`esdb://127.0.0.1:${store.port}?tls=false`);
    await rejection(plain.appendToStream(stream, events(1)));
    expect(await numbersOf(connect(store.url), stream)).toEqual([0]);
  });

  it('its secrets are owner-only, and survive a restart', async () => {
    const store = await start('--tls');
    const { dir, url } = store;
    const files = ['tls.crt', 'tls.key', 'credentials'].map((name) => join(dir, name));
    const before = files.map((file) => readFileSync(file, 'utf8'));
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
    await store.kill('SIGTERM');
    const again = await startEmbeddedEventStore({ dir, port: store.port, args: ['--tls'] });
    expect(again.url).toBe(url);
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before);
    await connect(url).appendToStream(newStream(), events(1));
    await again.stop();
  });

  it('an empty credentials file is replaced', async () => {
    const store = await start('--tls');
    await store.kill('SIGTERM');
    writeFileSync(join(store.dir, 'credentials'), '\n');
    const again = await startEmbeddedEventStore({ dir: store.dir, args: ['--tls'] });
    running.push(again);
    const made = /\/\/(.*)@/.exec(again.url)?.[1];
    expect(made).toMatch(/^plaza:[\w-]{43}$/);
    expect(store.url).not.toContain(made);
    await connect(again.url).appendToStream(newStream(), events(1));
  });

  it('answers probes over HTTP/1.1', async () => {
    const store = await start('--tls');
    const ca = readFileSync(join(store.dir, 'tls.crt'));
    const status = await new Promise((resolve, reject) =>
      request(`https://127.0.0.1:${store.port}/health/live`, { ca }, (response) =>
        resolve(response.statusCode),
      )
        .on('error', reject)
        .end(),
    );
    expect(status).toBe(204);
  });
});
