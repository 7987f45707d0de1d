import { expect, it, jest } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readConfig } from '../../base/config/config.js';
import { requireMetricsHost } from './metrics-host.js';

const config = readConfig({
  OPERATOR_BASE_URL: 'https://ops.network.example',
  METRICS_HOSTS: 'prometheus.internal, api-1',
});

/** Undefined: the scrape is admitted. */
function faultAt(host: string): unknown {
  const done = jest.fn<(fault?: Error) => void>();
  const request = { headers: { host } } as FastifyRequest;
  const hook = requireMetricsHost(config) as (...given: [FastifyRequest, FastifyReply, typeof done]) => void;
  hook(request, {} as FastifyReply, done);
  return done.mock.calls[0]?.[0];
}

it.each(['ops.network.example', 'prometheus.internal:9464', 'API-1:3001', 'localhost'])(
  '%s may read metrics',
  (host) => {
    expect(faultAt(host)).toBeUndefined();
  },
);

const tooLong = `api-1:${'0'.repeat(300)}80`;

it.each(['network.example', 'api-2', 'api-1.example', tooLong])('%s may not read metrics', (host) => {
  expect(faultAt(host)).toMatchObject({ code: 'origin_mismatch' });
});
