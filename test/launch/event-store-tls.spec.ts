import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';

let network: TestNetwork;

beforeAll(async () => {
  network = await startNetwork({ EVENTSTORE_TLS: 'on', LOG_LEVEL: 'debug', DEBUG: 'esdb*' });
});

afterAll(() => network?.stop());

async function readiness(): Promise<number> {
  return (await fetch(`${network.baseUrl}/readyz`)).status;
}

it('a network runs on an event store over TLS, and again on what that has made', async () => {
  const certificate = encodeURIComponent(join(network.dataDir, 'eventstore', 'tls.crt'));
  const address = new RegExp(String.raw`^esdb://plaza:[\w-]+@localhost:\d+\?tls=true&tlsCAFile=(.*)$`);
  const url = network.env['EVENTSTORE_URL'] ?? '';
  expect(address.exec(url)?.[1]).toBe(certificate);
  expect(await readiness()).toBe(200);
  const [, password = ''] = /:([\w-]+)@/.exec(url) ?? [];
  expect(network.output()).not.toContain(password);
  await network.restart();
  expect(network.env['EVENTSTORE_URL']).toContain(`:${password}@`);
  expect(await readiness()).toBe(200);
});
