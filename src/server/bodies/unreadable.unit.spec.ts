import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../../../test/support/until.js';
import { refuseTunnels, refuseUnreadable, trackExchanges } from './unreadable.js';

let server: Server;
let client: Socket;

beforeEach(async () => {
  server = createServer();
  trackExchanges(server);
  refuseTunnels(server, () => ({}));
  server.on('clientError', (error, socket) => refuseUnreadable(error, socket as Socket, {}));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  client.on('error', () => undefined);
});

afterEach(() => {
  client.destroy();
  server.close();
});

/** Returns once the refusal of a CONNECT arrives. */
async function refuse(): Promise<string> {
  client.write('CONNECT a HTTP/1.1\r\nHost: a\r\n\r\n');
  const [answer] = (await once(client, 'data')) as [Buffer];
  return answer.toString();
}

const allClosed = () =>
  until(
    () =>
      new Promise<string | false>((resolve, reject) =>
        server.getConnections((error, count) =>
          error ? reject(error) : resolve(count === 0 && 'all closed'),
        ),
      ),
  );

describe('the connection of a refused CONNECT ends', () => {
  it('if the client keeps it open', async () => {
    expect(await refuse()).toMatch(/^HTTP\/1\.1 400 /);
    expect(await allClosed()).toBe('all closed');
  });

  it('if the client sends more, then closes it', async () => {
    await refuse();
    client.end('x');
    expect(await allClosed()).toBe('all closed');
  });

  it('if the client goes on sending', async () => {
    await refuse();
    const sending = setInterval(() => client.write('x'), 10);
    expect(await allClosed()).toBe('all closed');
    clearInterval(sending);
  });
});

const HEAD = ' / HTTP/1.1\r\nHost: a\r\n';
const CHUNKED = `POST${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const begin = (response: ServerResponse) => void response.write('begun');
const end = (response: ServerResponse) => void response.end('ended');
const wait = () => undefined;

/** Sends bytes; if that makes the server answer a request with `handle`, sends `rest` too. Returns the status codes. */
async function statusesOf(
  bytes: string,
  { handle, rest = '' }: { handle: (response: ServerResponse) => void; rest?: string },
): Promise<string[]> {
  server.once('request', (_request, response) => {
    handle(response);
    setImmediate(() => client.write(rest));
  });
  let received = '';
  client.on('data', (data: Buffer) => (received += data.toString()));
  client.once('end', () => client.end());
  client.write(bytes);
  await once(client, 'close');
  return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
}

describe('an unreadable request is refused', () => {
  it.each([
    ['alone on its connection', 'no HTTP\r\n\r\n', { handle: wait }],
    ['by its malformed body', CHUNKED, { handle: wait, rest: 'x' }],
  ])('%s', async (_where, bytes, then) => {
    expect(await statusesOf(bytes, then)).toEqual(['400']);
  });

  it('after the answer to the request before', async () => {
    const statuses = await statusesOf(`GET${HEAD}\r\n`, { handle: end, rest: 'no HTTP\r\n\r\n' });
    expect(statuses).toEqual(['200', '400']);
  });
});

describe('an unreadable request ends the connection without an answer', () => {
  it.each([
    ['before the answer to the request before', `GET${HEAD}\r\n`, wait, []],
    ['within the answer to the request before', `GET${HEAD}\r\n`, begin, ['200']],
    ['within its own answer', CHUNKED, begin, ['200']],
    ['after its own answer', CHUNKED, end, ['200']],
  ])('%s', async (_when, bytes, handle, statuses) => {
    expect(await statusesOf(bytes, { handle, rest: 'no HTTP\r\n\r\n' })).toEqual(statuses);
  });

  it('if it is a CONNECT', async () => {
    const connecting = { handle: wait, rest: 'CONNECT a HTTP/1.1\r\nHost: a\r\n\r\n' };
    expect(await statusesOf(`GET${HEAD}\r\n`, connecting)).toEqual([]);
  });
});
