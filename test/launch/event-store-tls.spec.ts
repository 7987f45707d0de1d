import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';

let network: TestNetwork;

beforeAll(async () => {
  network = await startNetwork({ EVENTSTORE_TLS: 'on', LOG_LEVEL: 'debug', DEBUG: 'esdb*' });
});

afterAll(() => network?.stop());

const isReady = async () => (await fetch(`${network.baseUrl}/readyz`)).status === 200;

it('a network runs on an event store with TLS, and restarts with the same secrets', async () => {
  const certificate = encodeURIComponent(join(network.dataDir, 'eventstore', 'tls.crt'));
  const address = new RegExp(String.raw`^esdb://plaza:[\w-]+@localhost:\d+\?tls=true&tlsCAFile=(.*)$`);
  const url = network.env['EVENTSTORE_URL'] ?? '';
  expect(address.exec(url)?.[1]).toBe(certificate);
  await until(isReady);
  const [, password = ''] = /:([\w-]+)@/.exec(url) ?? [];
  expect(network.output()).not.toContain(password);
  await network.restart();
  expect(network.env['EVENTSTORE_URL']).toContain(`:${password}@`);
  await until(isReady);
});
