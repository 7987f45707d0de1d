/**
 * Rows of /proc/net/tcp and /proc/net/tcp6: one end of a TCP connection of this machine.
 * https://docs.kernel.org/networking/proc_net_tcp.html
 */
import { endianness } from 'node:os';
import { addressBytes } from './ip-address.js';

export interface TcpRow {
  state: number;
  uid: number;
  inode: number;
}

export interface TcpAddress {
  address: string;
  port: number;
}

const ESTABLISHED = 1;
const ROW =
  /^ *\d+: (?:\S+ ){2}([0-9A-F]{2}) [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:[0-9A-F]+ [0-9A-F]+ +(\d+) +\d+ +(\d+) /;

export function rowKey(line: string): string | undefined {
  const start = line.indexOf(': ') + 2;
  const middle = line.indexOf(' ', start);
  const end = line.indexOf(' ', middle + 1);
  return start < 2 || middle < 0 || end < 0 ? undefined : line.slice(start, end);
}

export function parseRow(line: string): TcpRow | undefined {
  const [, state, uid, inode] = ROW.exec(line) ?? [];
  if (state === undefined) return undefined;
  return { state: Number.parseInt(state, 16), uid: Number(uid), inode: Number(inode) };
}

/**
 * True if the uid of this row is that of the owner. A closed end, or one in TIME_WAIT, has uid 0, which would pass
 * for root; an end that is not accepted yet has the uid of the listener.
 */
export function hasOwnerUid({ state, inode }: TcpRow): boolean {
  return state === ESTABLISHED && inode !== 0;
}

export function connectionKey(local: TcpAddress, remote: TcpAddress): string {
  return `${hexAddress(local)} ${hexAddress(remote)}`;
}

export function toIpv4Mapped({ address, port }: TcpAddress): TcpAddress {
  return { address: `::ffff:${address}`, port };
}

/**
 * Formats an address as in the table: 32-bit words in the byte order of this machine, and the port as a number, both
 * in hexadecimal digits.
 */
function hexAddress({ address, port }: TcpAddress): string {
  const bytes = addressBytes(address);
  if (endianness() === 'LE') bytes.swap32();
  const digits = `${bytes.toString('hex')}:${port.toString(16).padStart(4, '0')}`;
  return digits.toUpperCase();
}
