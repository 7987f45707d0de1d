import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../src/launch/free-port.js';
import { operatorOf, registerApplication, signIn } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { builtProcess } from '../support/command.js';
import { startEmbeddedEventStore } from '../support/event-store.js';
import type { EmbeddedEventStore } from '../support/event-store.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';

let store: EmbeddedEventStore;
let client: EventStoreDBClient;
let network: TestNetwork;

beforeAll(async () => {
  store = await startEmbeddedEventStore();
  client = EventStoreDBClient.connectionString(store.url);
  await appendOrders(1);
  network = await startNetwork({ EVENTSTORE_URL: store.url, EVENTSTORE_SHARED: 'on' });
});
afterAll(async () => {
  await network?.stop();
  await client?.dispose();
  await store?.stop();
});

/** Events of another application, of a type that the network uses, too. */
const appendOrders = (count: number) =>
  client.appendToStream(
    'order-1',
    Array.from({ length: count }, () =>
      jsonEvent({ id: randomUUID(), type: 'post.created', data: { amount: 1 } }),
    ),
  );

describe('on an event store with streams of another application', () => {
  it.each([['api'], ['projector']] as const)(
    'a process of role %s ends with the reason, unless EVENTSTORE_SHARED allows it',
    async (role) => {
      const ports = { PORT: String(await freePort()), OPERATOR_PORT: String(await freePort()) };
      const child = spawn(process.execPath, [builtProcess(role)], {
        env: { ...network.env, ROLE: role, ...ports, EVENTSTORE_SHARED: 'off' },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
      expect(code).toBe(1);
      expect(stderr).toContain('streams of another application (\\"order-1\\")');
      expect(stderr).toContain('EVENTSTORE_SHARED=on');
    },
  );

  it('events of the other application are ignored, and delay nothing', async () => {
    const ada: SignedIn = await signIn(network, await registerApplication(network));
    expect((await ada.say('before')).status).toBe(200);
    await appendOrders(300);
    expect((await ada.say('behind it')).status).toBe(200);
    await appendOrders(300);
    const lags = async () => (await operatorOf(network).projections()).projections.map(({ lag }) => lag);
    await until(async () => (await lags()).every((lag) => lag === 0));
    await until(async () => (await fetch(`${network.baseUrl}/readyz`)).status === 200);
    expect((await ada.get('/api/reconcile')).body.ownPosts).toHaveLength(2);
  });
});
