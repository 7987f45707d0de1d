import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import type { FastifyInstance } from 'fastify';
import { sendError } from './error.filter.js';

let server: FastifyInstance;
let logged: string[];
let failed: PromiseWithResolvers<unknown>;

beforeEach(async () => {
  logged = [];
  failed = Promise.withResolvers();
  server = fastify({ logger: { level: 'warn', stream: { write: (line) => void logged.push(line) } } });
  server.setErrorHandler((error, request, reply) => {
    sendError(error, request, reply);
    failed.resolve(error);
  });
  server.post('/read', () => 'all of it');
  server.post('/ask', () => {
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  });
  await server.listen();
});

afterEach(() => server.close());

describe('a broken connection', () => {
  it('of a request body is no outage, and no warning', async () => {
    const socket = connect((server.server.address() as AddressInfo).port);
    await once(socket, 'connect');
    socket.write(
      'POST /read HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    );
    await once(server.server, 'request');
    socket.destroy();
    expect(await failed.promise).toMatchObject({ code: 'ECONNRESET' });
    expect(logged).toEqual([]);
  });

  it('to a store is an outage', async () => {
    const { statusCode, body } = await server.inject({ method: 'POST', url: '/ask' });
    expect([statusCode, body]).toEqual([503, expect.stringContaining('"authority_unavailable"')]);
    expect(logged).toEqual([expect.stringContaining('authority_unavailable')]);
  });
});
