/** @slow */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { platform } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '../../../test/support/until.js';
import { boundUnreadAnswers } from './unread-answers.js';
import type { ConnectionLimits } from './unread-answers.js';

const MEGABYTE = 1024 * 1024;
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const loose: ConnectionLimits = { idleMs: 60_000, requests: 1_000, unreadBytes: 1_000 * MEGABYTE, open: 100 };

let server: Server;
const clients: Socket[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.close();
  server.closeAllConnections();
});

async function serve(limits: Partial<ConnectionLimits>, answer: RequestListener): Promise<void> {
  server = createServer(answer);
  boundUnreadAnswers(server, { ...loose, ...limits });
  await once(server.listen(0, '127.0.0.1'), 'listening');
}

/** A connection that reads nothing before its `resume` or `read`. */
async function client(): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1' });
  clients.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const connections = (): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
const allCut = () => until(async () => (await connections()) === 0 && 'all cut');

/** More than the kernel buffers of a connection. */
const large: RequestListener = (_request, response) => void response.end(Buffer.alloc(32 * MEGABYTE));
const small: RequestListener = (_request, response) => void response.end('here');

describe('a connection', () => {
  it('that reads nothing of its answer is cut, like others beside it', async () => {
    await serve({ idleMs: 300 }, large);
    for (let n = 0; n < 20; n++) (await client()).write(REQUEST);
    expect(await allCut()).toBe('all cut');
  });

  it('that never sends a request is cut', async () => {
    await serve({ idleMs: 100 }, small);
    await client();
    expect(await allCut()).toBe('all cut');
  });

  it('that reads its answer slowly gets all of it, however long it takes', async () => {
    // Longer than the pauses of this process, client and server in one, on a busy machine.
    const idleMs = 3_000;
    await serve({ idleMs }, large);
    const socket = await client();
    const closed = once(socket, 'close').then(() => 'closed');
    socket.write(REQUEST);
    let taken = 0;
    const begun = performance.now();
    while (taken < 32 * MEGABYTE) {
      const chunk = socket.read() as Buffer | null;
      taken += chunk?.length ?? 0;
      if (chunk === null && (await Promise.race([once(socket, 'readable'), closed])) === 'closed')
        throw new Error(`cut after ${taken} bytes`);
      // Chunks beyond the kernel buffers, so that the server sees each read.
      if (chunk) await pause(15);
    }
    expect(performance.now() - begun).toBeGreaterThan(2 * idleMs);
    expect(socket.destroyed).toBe(false);
  });

  it('whose answer is in progress is not cut, however long it takes', async () => {
    await serve({ idleMs: 50 }, (_request, response) => void setTimeout(() => response.end('late'), 500));
    const socket = await client();
    socket.write(REQUEST);
    const [answer] = (await once(socket.setEncoding('utf8'), 'data')) as [string];
    expect(answer).toContain('late');
  });

  it('that sends requests without reading answers is cut, and one that waits for each is not', async () => {
    await serve({ requests: 8 }, (_request, response) => void setTimeout(() => response.end('here'), 20));
    const honest = await client();
    for (let n = 0; n < 12; n++) {
      honest.write(REQUEST);
      await once(honest, 'data');
    }
    const greedy = await client();
    const closed = new Promise((resolve) => greedy.once('close', resolve));
    greedy.resume().write(REQUEST.repeat(9));
    await closed;
    expect(await connections()).toBe(1);
  });

  it('is refused above the limit of open connections', async () => {
    await serve({ open: 2 }, small);
    await Promise.all([client(), client()]);
    await once((await client()).resume(), 'close');
    expect(await connections()).toBe(2);
  });
});

/** Small enough for the kernel to take a large part, so that Node's own queue empties. */
const middling: RequestListener = (_request, response) => void response.end(Buffer.alloc(MEGABYTE));
const onLinux = platform() === 'linux' ? describe : describe.skip;

onLinux('an answer that the system holds', () => {
  it('with an unread answer is dropped, and others are not', async () => {
    await serve({ idleMs: 1_000 }, middling);
    server.keepAliveTimeout = 60_000;
    for (let n = 0; n < 20; n++) (await client()).write(REQUEST);
    const slow = await client();
    slow.write(REQUEST);
    let taken = 0;
    const begun = performance.now();
    while (taken < MEGABYTE) {
      const chunk = slow.read(Math.min(65_536, slow.readableLength)) as Buffer | null;
      if (chunk) taken += chunk.length;
      else await once(slow, 'readable');
      await pause(250);
    }
    expect(performance.now() - begun).toBeGreaterThan(3_000);
    expect(await until(async () => (await connections()) === 1 && 'only the slow one')).toBe(
      'only the slow one',
    );
    slow.write(REQUEST);
    await once(slow, 'readable');
  });

  it('is dropped earlier if all unread answers exceed the limit, the oldest first', async () => {
    await serve({ unreadBytes: 2 * MEGABYTE }, middling);
    server.keepAliveTimeout = 60_000;
    for (let n = 0; n < 20; n++) (await client()).write(REQUEST);
    const some = await until(async () => (await connections()) < 20 && (await connections()));
    expect(some).toBeGreaterThan(1);
    const honest = await client();
    honest.write(REQUEST);
    await once(honest, 'readable');
  });
});

it('is dropped, the oldest first, if a process holds too many unread bytes, and readers are answered', async () => {
  await serve({ unreadBytes: 100 * MEGABYTE }, large);
  for (let n = 0; n < 10; n++) (await client()).write(REQUEST);
  // The total is ten times 32 MB.
  expect(await until(async () => (await connections()) <= 3 && (await connections()))).toBe(3);
  const honest = await client();
  honest.write(REQUEST);
  let taken = 0;
  honest.on('data', (chunk: Buffer) => (taken += chunk.length));
  expect(await until(() => taken > 32 * MEGABYTE && 'answered')).toBe('answered');
});
