import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { serveProbes } from '../../src/programs/worker/probes/worker-probes.js';
import { BoundedClock } from '../../src/base/support/bounded-clock.js';
import { limits } from '../../src/base/config/limit-settings.js';
import { freePort } from '../../src/launch/free-port.js';
import { startOperatorApi } from '../../src/operator/entrances/operator-server.js';
import { ProcessMetrics } from '../../src/base/telemetry/process-metrics.js';
import { until } from '../support/until.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';

let network: AuthNetwork;
let operatorApi: { close(): Promise<void> };
let probes: { close(): Promise<void> };
let metricsPort: number;

beforeAll(async () => {
  const connections = { ...limits.connections, arrivalMs: 500, arrivalCheckMs: 100 };
  jest.replaceProperty<{ connections: object }, 'connections'>(limits, 'connections', connections);
  network = await startAuthNetwork();
  operatorApi = await startOperatorApi(network.app());
  metricsPort = await freePort();
  const { operatorHost, operatorBaseUrl, metricsHosts } = network.config;
  probes = await serveProbes({
    config: { operatorHost, operatorBaseUrl, metricsHosts, metricsPort },
    databaseUrl: network.databaseUrl,
    logger: pino({ level: 'silent' }),
    metrics: new ProcessMetrics(),
    groups: {},
    clock: new BoundedClock('worker'),
    log: () => undefined,
    reachWitness: () => Promise.resolve(),
  });
});

afterAll(async () => {
  await probes?.close();
  await operatorApi?.close();
  await network?.stop();
});

describe('a client that sends its request byte by byte is disconnected', () => {
  it.each([
    ['at the API', () => network.config.port],
    ['at the operator API', () => network.config.operatorPort],
    ['at the probes of a worker', () => metricsPort],
  ])('%s', async (_where, port) => {
    for (const head of [
      'GET /livez HTTP/1.1\r\nX-Long: ',
      'POST /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n',
    ]) {
      const client = connect(port(), '127.0.0.1')
        .on('error', () => undefined)
        .resume();
      await once(client, 'connect');
      client.write(head);
      const sending = setInterval(() => client.write('x'), 50);
      try {
        expect(await until(() => client.closed)).toBe(true);
      } finally {
        clearInterval(sending);
        client.destroy();
      }
    }
  });
});
