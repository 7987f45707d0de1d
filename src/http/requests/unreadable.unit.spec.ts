import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../../../test/support/until.js';
import { refuseTunnels } from './unreadable.js';

let server: Server;
let client: Socket;

beforeEach(async () => {
  server = createServer();
  refuseTunnels(server, () => ({}));
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
