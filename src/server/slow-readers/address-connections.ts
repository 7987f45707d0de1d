import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressBlock } from '../limits/address-block.js';

/**
 * Closes each connection of an address block beyond `most`, so that one address cannot take all connections of the
 * server. `isShared`: the address of a proxy, whose connections carry everyone's requests and are not counted.
 */
export function boundAddressConnections(
  server: Server,
  most: number,
  isShared: (address: string) => boolean,
): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // Undefined: the client has closed it already.
    if (remoteAddress === undefined || isShared(remoteAddress)) return;
    const block = addressBlock(remoteAddress);
    const count = (open.get(block) ?? 0) + 1;
    if (count > most) return void socket.destroy();
    open.set(block, count);
    socket.once('close', () => {
      const left = (open.get(block) ?? 0) - 1;
      if (left > 0) open.set(block, left);
      else open.delete(block);
    });
  });
}
