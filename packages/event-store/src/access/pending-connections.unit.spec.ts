import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { PendingConnections } from './pending-connections.js';

const arrivals = () => new PendingConnections({ unidentified: 2, silent: 2, timeoutMs: 60_000 });

let server: Server;
const sockets: Socket[] = [];

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

async function arrival(): Promise<Socket> {
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = await connected;
  for (const end of [client, socket]) sockets.push(end.on('error', () => undefined));
  return socket;
}

describe('connections that are not served yet', () => {
  it('stay open while unidentified ones arrive; above the limit the newest is refused', async () => {
    const all = arrivals();
    const [silent, first, second, third] = [
      await arrival(),
      await arrival(),
      await arrival(),
      await arrival(),
    ];
    all.awaitOwner(silent);
    all.awaitFirstBytes(silent);
    expect([first, second, third].map((socket) => all.awaitOwner(socket))).toEqual([true, true, false]);
    expect([silent, first, second].map((socket) => socket.destroyed)).toEqual([false, false, false]);
    all.awaitFirstBytes(first);
    expect(all.awaitOwner(third)).toBe(true);
    all.closeAll();
    expect([silent, first, second, third].map((socket) => socket.destroyed)).toEqual(Array(4).fill(true));
  });

  it('are closed oldest first when too many send no request', async () => {
    const all = arrivals();
    const silent = [await arrival(), await arrival(), await arrival()];
    for (const socket of silent) all.awaitFirstBytes(socket);
    expect(silent.map((socket) => socket.destroyed)).toEqual([true, false, false]);
    all.closeAll();
  });

  it.each(['awaitOwner', 'awaitFirstBytes'] as const)(
    'close an earlier one from the same address and port (%s)',
    async (method) => {
      const all = arrivals();
      const [earlier, later] = [await arrival(), await arrival()];
      Object.defineProperty(later, 'remotePort', { value: earlier.remotePort });
      all[method](earlier);
      all[method](later);
      expect([earlier.destroyed, later.destroyed]).toEqual([true, false]);
      all.closeAll();
      expect(later.destroyed).toBe(true);
    },
  );
});
