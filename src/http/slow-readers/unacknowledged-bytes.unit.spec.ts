import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { platform } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { until } from '../../../test/support/until.js';
import { clientKey, unacknowledgedBytes } from './unacknowledged-bytes.js';

it.each([
  ['127.0.0.1', '0100007F:0050'],
  ['203.0.113.9', '097100CB:0050'],
  ['::1', '00000000000000000000000001000000:0050'],
  ['::ffff:127.0.0.1', '0000000000000000FFFF00000100007F:0050'],
  ['2001:db8::ab12:9', 'B80D0120000000000000000009000000'.slice(0, 24) + '090012AB:0050'],
  ['fe80::1%eth0', '000080FE000000000000000001000000:0050'],
])('a client at %s has the form that Linux writes on most machines', (address, written) => {
  expect(clientKey({ address, port: 80 })).toBe(written);
});

const onLinux = platform() === 'linux' ? describe : describe.skip;

onLinux('on Linux the system', () => {
  it.each(['127.0.0.1', '::1'])('counts the unacknowledged bytes of a client at %s', async (host) => {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect(port, host);
    const [socket] = (await once(server, 'connection')) as [Socket];
    const key = clientKey({ address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 });
    expect((await unacknowledgedBytes(port))?.get(key)).toBeUndefined();
    socket.write(Buffer.alloc(32 * 1024 * 1024));
    await until(async () => ((await unacknowledgedBytes(port))?.get(key) ?? 0) > 10_000);
    client.resume();
    expect(await until(async () => (await unacknowledgedBytes(port))?.get(key) === undefined)).toBe(true);
    client.destroy();
    server.close();
  });
});
