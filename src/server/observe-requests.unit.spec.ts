import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import type { FastifyInstance } from 'fastify';
import { setRefusalCode } from './refusal-code.js';
import { observeRequests } from './observe-requests.js';
import { Telemetry } from '../base/telemetry/telemetry.js';

let server: FastifyInstance;

afterEach(() => server.close());

async function serve(): Promise<{
  readonly port: number;
  readonly samples: () => Promise<readonly string[]>;
}> {
  server = fastify({ forceCloseConnections: true });
  const telemetry = new Telemetry();
  observeRequests(server, telemetry);
  server.addHttpMethod('PROPFIND');
  server.route({ method: ['GET', 'PROPFIND'], url: '/things/:id', handler: () => ({}) });
  server.get('/refused', (_request, reply) => {
    setRefusalCode(reply.raw, 'not_owner');
    return reply.code(403).send({});
  });
  server.get('/stored', (_request, reply) => {
    setRefusalCode(reply.raw, 'domain_storage_unavailable', 'yes');
    return reply.code(503).send({});
  });
  server.get('/hijacked', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(201).end();
  });
  server.get('/stream', (_request, reply) =>
    reply.type('text/event-stream').send(beginning('data: first\n\n')),
  );
  server.get('/never', () => new Promise(() => undefined));
  await server.listen({ port: 0, host: '127.0.0.1' });
  const names = /^(http_server_request_duration_seconds_count|plaza_refusals_total)\{/;
  return {
    port: (server.server.address() as AddressInfo).port,
    samples: async () =>
      (await telemetry.metrics.registry.metrics()).split('\n').filter((line) => names.test(line)),
  };
}

const counted = (method: string, route: string, status: string) =>
  `http_server_request_duration_seconds_count{http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"} 1`;

it.each([
  ['GET', '/things/7', counted('GET', '/things/:id', '200')],
  ['HEAD', '/things/7', counted('HEAD', '/things/:id', '200')],
  ['PROPFIND', '/things/7', counted('_OTHER', '/things/:id', '200')],
  ['GET', '/unknown/7', counted('GET', 'unmatched', '404')],
  ['GET', '/hijacked', counted('GET', '/hijacked', '201')],
] as const)('%s %s has a closed set of labels', async (method, url, line) => {
  const { samples } = await serve();
  await server.inject({ method: method as 'GET', url });
  expect(await samples()).toEqual([line]);
});

it('a refusal counts by its code', async () => {
  const { samples } = await serve();
  await server.inject('/refused');
  expect(await samples()).toEqual(
    expect.arrayContaining([counted('GET', '/refused', '403'), 'plaza_refusals_total{code="not_owner"} 1']),
  );
});

it('a refused write counts by what became of it', async () => {
  const { samples } = await serve();
  await server.inject('/stored');
  expect(await samples()).toContain(
    'plaza_refusals_total{code="domain_storage_unavailable",written="yes"} 1',
  );
});

it('an event stream counts once, when it begins', async () => {
  const { port, samples } = await serve();
  const ended = answered();
  const stop = new AbortController();
  await fetch(`http://127.0.0.1:${port}/stream`, { signal: stop.signal });
  expect(await samples()).toEqual([counted('GET', '/stream', '200')]);
  stop.abort();
  await ended;
  expect(await samples()).toEqual([counted('GET', '/stream', '200')]);
});

it('a request whose client went away before an answer has no status', async () => {
  const { port, samples } = await serve();
  const arrived = new Promise((resolve) => server.server.once('request', resolve));
  const ended = answered();
  const client = connect(port, '127.0.0.1', () =>
    client.write('GET /never HTTP/1.1\r\nhost: localhost\r\n\r\n'),
  );
  await arrived;
  client.destroy();
  await ended;
  expect(await samples()).toEqual([counted('GET', '/never', '')]);
});

/** Resolves when the next request has its answer, or its connection has ended. */
const answered = () =>
  new Promise<void>((resolve) =>
    server.server.once('request', (_request, response) => response.once('close', resolve)),
  );

/** A stream that sends this and stays open. */
function beginning(text: string): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push(text);
  return stream;
}
