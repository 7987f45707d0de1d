import { describe, expect, it } from '@jest/globals';
import { ConnectionOwners, type Connection, type ReadTable } from './connection-owners.js';
import { toIpv4Mapped, connectionKey } from './proc-net-tcp.js';

const server = { address: '127.0.0.1', port: 2113 };
const from = (port: number): Connection => ({
  local: server,
  remote: { address: '127.0.0.1', port },
  family: 'IPv4',
});

const row = (key: string, uid: number, state = '01', inode = 7): string =>
  `   0: ${key} ${state} 00000000:00000000 00:00000000 00000000 ${uid}        0 ${inode} 1 0 20 4 30 10 -1\n`;
const client = ({ local, remote }: Connection, uid: number): string => row(connectionKey(remote, local), uid);
const own = ({ local, remote }: Connection): string => row(connectionKey(local, remote), 0);

/** Changeable tables, with the number of reads. */
function tables(text: { tcp: string; tcp6?: string }) {
  const read = { tcp: 0, tcp6: 0 };
  // eslint-disable-next-line @typescript-eslint/require-await
  const readTable: ReadTable = async function* (table) {
    read[table]++;
    const bytes = Buffer.from(`  sl  local_address rem_address\n${text[table] ?? ''}`);
    for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
  };
  return { read, readTable };
}

const owners = (readTable: ReadTable, isForeign = (): boolean => false) =>
  new ConnectionOwners(isForeign, readTable);

describe('the owner of a connection', () => {
  it('is found by both ends, among other connections', async () => {
    const others = [2, 3, 4].map((port) => client(from(port), 42) + own(from(port))).join('');
    const { readTable } = tables({ tcp: others + client(from(1), 1000) + others + own(from(1)) });
    expect(await owners(readTable).ownerOf(from(1))).toBe(1000);
  });

  it('is found for an IPv6 socket that is connected to an IPv4 address', async () => {
    const { local, remote } = from(1);
    const mapped = row(connectionKey(toIpv4Mapped(remote), toIpv4Mapped(local)), 1000);
    const { readTable } = tables({ tcp: own(from(1)), tcp6: mapped });
    expect(await owners(readTable).ownerOf(from(1))).toBe(1000);
  });

  it('is unknown when either end is gone or the remote end is closed', async () => {
    const key = connectionKey(from(1).remote, server);
    for (const tcp of ['', client(from(1), 0), own(from(1)), row(key, 0, '05', 0) + own(from(1))])
      expect(await owners(tables({ tcp }).readTable).ownerOf(from(1))).toBeUndefined();
  });

  it('is unknown beyond 32 MiB of a table', async () => {
    const filler = Buffer.alloc(1024 * 1024, `${'x'.repeat(149)}\n`);
    let read = 0;
    // eslint-disable-next-line @typescript-eslint/require-await
    const readTable: ReadTable = async function* (table) {
      for (let i = 0; i < 100; i++, read++) yield table === 'tcp' ? filler : Buffer.alloc(0);
    };
    expect(await owners(readTable).ownerOf(from(1))).toBeUndefined();
    expect(read).toBeLessThan(150);
  });
});

describe('a lookup in the tables', () => {
  it('serves all connections that waited at its start; the next one serves later ones', async () => {
    const all = Array.from({ length: 500 }, (_, i) => from(i + 1));
    const { read, readTable } = tables({ tcp: all.map((each) => client(each, 1000) + own(each)).join('') });
    const looks = owners(readTable);
    expect(await Promise.all(all.map(async (each) => looks.ownerOf(each)))).toEqual(all.map(() => 1000));
    // two reads a lookup: the first connection was alone
    expect(read.tcp).toBe(4);
  });

  it('rejects on an error, and the next one works', async () => {
    const { readTable } = tables({ tcp: client(from(1), 5) + own(from(1)) });
    let isBroken = true;
    const looks = owners((table) => {
      if (isBroken) throw new Error('no such table');
      return readTable(table);
    });
    await expect(looks.ownerOf(from(1))).rejects.toThrow('no such table');
    isBroken = false;
    expect(await looks.ownerOf(from(1))).toBe(5);
  });
});
