import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
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

describe('of the connections in a table', () => {
  const directory = mkdtempSync(join(tmpdir(), 'plaza-connections-'));
  const table = join(directory, 'tcp');
  afterAll(() => rmSync(directory, { recursive: true }));

  const HEAD =
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
  const row = (local: string, client: string, state: string, unacknowledged: string, n = 0) =>
    `${String(n).padStart(4)}: ${local} ${client} ${state} ${unacknowledged}:0000002A 00:00000000 00000000     0        0 15781665 1 0 100 0 0 10 0`;
  const read = (rows: readonly string[]) => {
    writeFileSync(table, [HEAD, ...rows, ''].join('\n'));
    return unacknowledgedBytes([table, join(directory, 'no-such-table')]);
  };

  it('those in use with unacknowledged bytes are counted', async () => {
    const ipv6 = '0000000000000000FFFF00000100007F';
    const found = await read([
      row('0100007F:0BB8', '0100007F:A001', '01', '00000010'),
      row('0100007F:0BB8', '0100007F:A002', '08', '0000FFFF'),
      row('0100007F:0BB8', '0100007F:A003', '01', '00000000'),
      row('0100007F:0BB8', '0100007F:A004', '06', '00000010'),
      row('00000000:0BB8', '00000000:0000', '0A', '00000010'),
      row('0100007F:A001', '0100007F:0BB8', '01', '00000020'),
      row(`${ipv6}:0BB9`, `${ipv6}:A005`, '01', '80000000'),
    ]);
    expect(found).toEqual(
      new Map([
        [3000, new Map(Object.entries({ '0100007F:A001': 16, '0100007F:A002': 65_535 }))],
        [0xa001, new Map([['0100007F:0BB8', 32]])],
        [3001, new Map([[`${ipv6}:A005`, 2_147_483_648]])],
      ]),
    );
  });

  it('none is missed among many that have ended, which are read in parts', async () => {
    const client = (n: number) => `0100007F:${n.toString(16).toUpperCase().padStart(4, '0')}`;
    const rows = Array.from({ length: 60_000 }, (_, n) =>
      row('0100007F:0BB8', client(n), n % 7 === 0 ? '01' : '06', '00000010', n),
    );
    expect((await read(rows))?.get(3000)?.size).toBe(Math.ceil(60_000 / 7));
  });

  it('nothing is known without a table', async () => {
    expect(await unacknowledgedBytes([join(directory, 'no-such-table')])).toBeUndefined();
  });
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
    expect((await unacknowledgedBytes())?.get(port)?.get(key)).toBeUndefined();
    const written = new Promise((resolve) => socket.write(Buffer.alloc(32 * 1024 * 1024), resolve));
    await until(async () => ((await unacknowledgedBytes())?.get(port)?.get(key) ?? 0) > 10_000);
    client.resume();
    await written;
    expect(await until(async () => (await unacknowledgedBytes())?.get(port)?.get(key) === undefined)).toBe(
      true,
    );
    client.destroy();
    server.close();
  });
});
