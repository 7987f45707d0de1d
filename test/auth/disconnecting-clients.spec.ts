import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readConfig } from '../../src/base/config/config.js';
import { until } from '../support/until.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';

let network: TestNetwork;

beforeAll(async () => {
  network = await lentNetwork();
});

afterAll(() => network?.stop());

/** Sends requests to an address and resets the connection, optionally after the server has read them. */
async function sendAndDisconnect(requests: string, untilRead: boolean, to = network.baseUrl): Promise<void> {
  const { port } = new URL(to);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  await new Promise((written) => socket.write(requests, written));
  // An answer on another connection shows that the server has read this one's bytes.
  if (untilRead) await fetch(`${to}/livez`);
  socket.resetAndDestroy();
}

/** Declares this many bytes and sends two. */
function formRequest(path: string, length: number): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${new URL(network.baseUrl).host}`,
    `origin: ${network.baseUrl}`,
    'authorization: Basic eDp5',
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${length}`,
  ];
  return `${head.join('\r\n')}\r\n\r\nab`;
}

it('a client that disconnects before its answer leaves no warning in the log', async () => {
  const before = network.output().length;
  for (const path of ['oauth2/token', 'oauth2/introspect', 'account/sign-in', 'interaction/x/sign-up'])
    for (let n = 0; n < 20; n++) {
      const address = `/api/auth/${path}`;
      await sendAndDisconnect(
        n % 2 ? formRequest(address, 2).repeat(10) : formRequest(address, 100),
        n % 4 < 2,
      );
    }
  // The server has handled all earlier requests once these are answered.
  expect((await fetch(`${network.baseUrl}/api/auth/account`)).status).toBe(200);
  await until(async () => (await fetch(`${network.baseUrl}/readyz`)).status === 200);
  const lines = network.output().slice(before).split('\n');
  expect(lines.filter((line) => /"level":[4-6]0/.test(line))).toEqual([]);
});

it('a client that breaks off its body at the operator’s port leaves no warning either', async () => {
  const { operatorBaseUrl } = readConfig(network.env);
  const head = (path: string, ...headers: string[]) =>
    [
      `POST ${path} HTTP/1.1`,
      `host: ${new URL(operatorBaseUrl).host}`,
      `origin: ${operatorBaseUrl}`,
      ...headers,
      'content-length: 100',
    ].join('\r\n') + '\r\n\r\n{"';
  const token = readFileSync(join(network.dataDir, 'operator.token'), 'utf8').trim();
  const form = ['accept: text/html', 'content-type: application/x-www-form-urlencoded'];
  const before = network.output().length;
  for (const request of [
    head('/operator/accounts', `authorization: Bearer ${token}`, 'content-type: application/json'),
    head('/console/sign-in', ...form),
  ])
    for (let n = 0; n < 25; n++) await sendAndDisconnect(request, true, operatorBaseUrl);
  expect((await fetch(`${operatorBaseUrl}/console/sign-in`)).status).toBe(200);
  const lines = network.output().slice(before).split('\n');
  expect(lines.filter((line) => /"level":[4-6]0/.test(line))).toEqual([]);
});
