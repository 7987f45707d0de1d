/**
 * One row of /proc/net/tcp or /proc/net/tcp6: one end of a TCP connection of this machine.
 * https://docs.kernel.org/networking/proc_net_tcp.html
 */
import { endianness } from 'node:os';
import { addressBytes } from './address.js';

export interface TcpRow {
  /** The state of this end, as the kernel numbers it. */
  state: number;
  uid: number;
  /** 0 once no process holds this end any more. */
  inode: number;
}

export interface TcpAddress {
  address: string;
  port: number;
}

const ESTABLISHED = 1;
const ROW =
  /^ *\d+: (?:\S+ ){2}([0-9A-F]{2}) [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:[0-9A-F]+ [0-9A-F]+ +(\d+) +\d+ +(\d+) /;

/** Both addresses of a row as the table writes them: the key to look a connection up by. Undefined for a heading. */
export function rowKey(line: string): string | undefined {
  const start = line.indexOf(': ') + 2;
  const middle = line.indexOf(' ', start);
  const end = line.indexOf(' ', middle + 1);
  return start < 2 || middle < 0 || end < 0 ? undefined : line.slice(start, end);
}

/** Reads a row. Undefined if the line is no row of such a table. */
export function parseRow(line: string): TcpRow | undefined {
  const [, state, uid, inode] = ROW.exec(line) ?? [];
  if (state === undefined) return undefined;
  return { state: Number.parseInt(state, 16), uid: Number(uid), inode: Number(inode) };
}

/**
 * Whether the row's uid is its owner's. In all other states it need not be: an end that its process has closed, and one
 * in TIME_WAIT, have uid 0, which would pass for root; one that is not accepted yet has the listener's.
 */
export function namesOwner({ state, inode }: TcpRow): boolean {
  return state === ESTABLISHED && inode !== 0;
}

/** The key of the row of a connection's end, in the table of its family. */
export function connectionKey(local: TcpAddress, remote: TcpAddress): string {
  return `${hexAddress(local)} ${hexAddress(remote)}`;
}

/** An IPv4 address as an IPv6 socket has it that is connected to an IPv4 one. */
export function asMapped({ address, port }: TcpAddress): TcpAddress {
  return { address: `::ffff:${address}`, port };
}

/** An address is written as its 32-bit words in this machine's byte order, a port as a number. */
function hexAddress({ address, port }: TcpAddress): string {
  const bytes = addressBytes(address);
  if (endianness() === 'LE') bytes.swap32();
  const digits = `${bytes.toString('hex')}:${port.toString(16).padStart(4, '0')}`;
  return digits.toUpperCase();
}
