import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { LogBench } from './support/log-bench.js';

let connections = 0;
const proxy = createServer((socket) => {
  connections++;
  socket.destroy();
});
let bench: LogBench;

beforeAll(async () => {
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  process.env['http_proxy'] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  bench = await LogBench.open();
});

afterAll(async () => {
  delete process.env['http_proxy'];
  await bench?.close();
  proxy.close();
});

it('the log on loopback is reached without the proxy of the environment', async () => {
  const { position } = await bench.appendPost('alice', 'hello');
  expect(await bench.log.head()).toBe(position);
  expect(connections).toBe(0);
});
