import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import type { FastifyInstance } from 'fastify';
import { sendError } from './error.filter.js';
import { Operations } from './operations.js';
import { RefusalPages } from './refusal-pages.js';

const pages = new RefusalPages(new Operations([{ method: 'post', path: '/ask' }]), 'help@plaza.example');

let server: FastifyInstance;
let logged: string[];
let failed: PromiseWithResolvers<unknown>;

beforeEach(async () => {
  logged = [];
  failed = Promise.withResolvers();
  server = fastify({ logger: { level: 'warn', stream: { write: (line) => void logged.push(line) } } });
  server.setErrorHandler((error, request, reply) => {
    sendError(error, request, reply, pages);
    failed.resolve(error);
  });
  server.post('/read', () => 'all of it');
  server.get('/page', () => {
    throw new Error('a secret');
  });
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

describe('an unforeseen failure', () => {
  const ask = (url: string, accept: string, method: 'GET' | 'POST' = 'GET') =>
    server.inject({ method, url, headers: { accept } });

  it('is a page for a browser, which says who can mend it and gives no details', async () => {
    const { statusCode, headers, body } = await ask('/page', 'text/html');
    expect([statusCode, headers['vary'], headers['content-type']]).toEqual([
      500,
      'Accept',
      'text/html; charset=utf-8',
    ]);
    expect(body).toContain('the operators of this network (<a href="mailto:help@plaza.example">');
    expect(body).not.toContain('secret');
  });

  it('is an Error object for a program, and whatever is accepted where an operation failed', async () => {
    const program = await ask('/page', '*/*');
    expect([program.statusCode, program.headers['vary'], program.json()]).toEqual([
      500,
      'Accept',
      { error: 'server_error', message: 'The server failed. Retrying may help.' },
    ]);
    const operation = await ask('/ask', 'text/html', 'POST');
    expect([operation.statusCode, operation.headers['vary']]).toEqual([503, undefined]);
    expect(operation.json()).toMatchObject({ error: 'authority_unavailable' });
  });
});
