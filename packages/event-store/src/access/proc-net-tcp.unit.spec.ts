import { describe, expect, it } from '@jest/globals';
import { toIpv4Mapped, connectionKey, hasOwnerUid, parseRow, rowKey } from './proc-net-tcp.js';

const recorded = {
  heading:
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     ',
  listening:
    '   1: 0100007F:6046 00000000:0000 0A 00000000:00000000 00:00000000 00000000   101        0 8847 1 00000000e22cbfe9 100 0 0 10 0                    ',
  established:
    ' 511: 0100007F:CAFE 0100007F:0841 01 00000000:00000000 02:000003D1 00000000  1000        0 139281 2 0000000012d1c59a 20 4 30 10 -1                 ',
  /** The same user's, after its process closed it. */
  closed:
    '12345: 0100007F:CAFE 0100007F:0841 05 00000000:00000000 03:00000B1A 00000000     0        0 0 3 000000005e1d6ad5                                      ',
  timeWait:
    '  36: 0100007F:CAFE 0100007F:0841 06 00000000:00000000 03:00001770 00000000     0        0 0 3 000000005e1d6ad5                                      ',
  notAccepted:
    '  40: 0100007F:0841 0100007F:CAFE 01 00000000:00000000 00:00000000 00000000     0        0 0 1 00000000dd6b3de0 20 4 30 10 -1                    ',
  mapped:
    '   0: 0000000000000000FFFF00000100007F:CAFE 0000000000000000FFFF00000100007F:0841 01 00000000:00000000 00:00000000 00000000 65534        0 140211 1 0000000031ab8f4b 20 4 30 10 -1',
  v6: '   3: 00000000000000000000000001000000:CAFE 00000000000000000000000001000000:0841 01 00000000:00000000 00:00000000 00000000  1000        0 140300 1 0000000031ab8f4b 20 4 30 10 -1',
};

const client = { address: '127.0.0.1', port: 0xcafe };
const server = { address: '127.0.0.1', port: 2113 };

describe('a row of the table of connections', () => {
  it('names the owner of an established connection', () => {
    const row = parseRow(recorded.established)!;
    expect(row).toEqual({ state: 1, uid: 1000, inode: 139281 });
    expect(hasOwnerUid(row)).toBe(true);
  });

  it.each(['listening', 'closed', 'timeWait', 'notAccepted'] as const)(
    'names no owner of a connection that is %s: its uid may be 0 for any user',
    (name) => {
      expect(hasOwnerUid(parseRow(recorded[name])!)).toBe(false);
    },
  );

  it('is undefined for a heading, a truncated line and other text', () => {
    for (const line of [recorded.heading, recorded.established.slice(0, 80), '', 'nothing of the kind'])
      expect(parseRow(line)).toBeUndefined();
  });
});

describe('the key of a connection', () => {
  it('equals the addresses at the start of its row', () => {
    expect(connectionKey(client, server)).toBe('0100007F:CAFE 0100007F:0841');
    for (const name of ['established', 'closed', 'timeWait'] as const)
      expect(rowKey(recorded[name])).toBe(connectionKey(client, server));
    expect(rowKey(recorded.notAccepted)).toBe(connectionKey(server, client));
  });

  it('has IPv6 addresses as words, and IPv4 addresses mapped to IPv6', () => {
    const loopback = { address: '::1', port: 0xcafe };
    expect(rowKey(recorded.v6)).toBe(connectionKey(loopback, { ...loopback, port: 2113 }));
    expect(rowKey(recorded.mapped)).toBe(connectionKey(toIpv4Mapped(client), toIpv4Mapped(server)));
    expect(connectionKey({ address: '2001:db8::ff00:42:8329', port: 1 }, server)).toBe(
      'B80D01200000000000FF000029834200:0001 0100007F:0841',
    );
  });

  it('is undefined for a line that is no row', () => {
    expect(rowKey('')).toBeUndefined();
    expect(rowKey('  12: 0100007F')).toBeUndefined();
  });
});
