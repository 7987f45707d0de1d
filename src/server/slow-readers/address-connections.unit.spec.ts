import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { platform } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../../../test/support/until.js';
import { boundAddressConnections } from './address-connections.js';

const PROXY = '127.0.0.3';

let server: Server;
const clients: Socket[] = [];

beforeEach(async () => {
  server = createServer((_request, response) => void response.end('here'));
  boundAddressConnections(server, 2, (address) => address === PROXY);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.close();
});

/** Resolves with a new connection from this address and whether its request was answered. */
async function request(localAddress: string): Promise<{ socket: Socket; isAnswered: boolean }> {
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress });
  clients.push(socket);
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const isAnswered = await new Promise<boolean>((resolve) => {
    socket.once('data', () => resolve(true));
    socket.once('close', () => resolve(false));
  });
  return { socket, isAnswered };
}

const answersTo = async (address: string, count: number): Promise<boolean[]> => {
  const answers: boolean[] = [];
  for (let n = 0; n < count; n++) answers.push((await request(address)).isAnswered);
  return answers;
};

(platform() === 'linux' ? describe : describe.skip)(
  'connections of one address (needs the loopback addresses of Linux)',
  () => {
    it('are closed beyond its bound, and those of others are not', async () => {
      expect(await answersTo('127.0.0.1', 3)).toEqual([true, true, false]);
      expect(await answersTo('127.0.0.2', 2)).toEqual([true, true]);
    });

    it('leave room for others when they close', async () => {
      const { socket } = await request('127.0.0.1');
      expect(await answersTo('127.0.0.1', 2)).toEqual([true, false]);
      socket.destroy();
      await until(async () => (await request('127.0.0.1')).isAnswered);
    });

    it('are not counted if it is a trusted proxy', async () => {
      expect(await answersTo(PROXY, 4)).toEqual([true, true, true, true]);
    });
  },
);
