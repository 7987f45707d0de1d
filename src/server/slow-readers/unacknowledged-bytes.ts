import { createReadStream } from 'node:fs';
import { isIPv4 } from 'node:net';
import { endianness } from 'node:os';

/**
 * TCP connections on Linux (proc(5)): rows of `sl local_address rem_address st tx_queue:rx_queue …`, in hexadecimal.
 */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];

/**
 * Matches local port, client and bytes of a connection in use (ESTABLISHED or CLOSE_WAIT) that has unacknowledged
 * bytes. Most rows of a busy server are in TIME_WAIT, and fail to match at their state.
 */
const ROW = /:([0-9A-F]{4}) ([0-9A-F]+:[0-9A-F]{4}) 0[18] (?!0{8})([0-9A-F]{8}):/g;

/** Unacknowledged bytes by local port, then by {@link clientKey}. */
export type UnacknowledgedBytes = ReadonlyMap<number, ReadonlyMap<string, number>>;

/**
 * Returns the unacknowledged bytes of each client of this machine; clients without any are absent. Undefined on systems
 * other than Linux.
 */
export async function unacknowledgedBytes(
  tables: readonly string[] = TABLES,
): Promise<UnacknowledgedBytes | undefined> {
  const queues = new Map<number, Map<string, number>>();
  const read = await Promise.all(tables.map((path) => readTable(path, queues)));
  return read.some(Boolean) ? queues : undefined;
}

/**
 * Adds the rows of a table to `queues`, read in parts: a table can have ten megabytes. Returns false without such a
 * table, or if it cannot be read now, as when no file descriptor is left: the next check reads it again.
 */
async function readTable(path: string, queues: Map<number, Map<string, number>>): Promise<boolean> {
  let rest = '';
  try {
    for await (const part of createReadStream(path, 'latin1')) {
      const text = rest + String(part);
      const end = text.lastIndexOf('\n') + 1;
      rest = text.slice(end);
      for (const [, port = '', client = '', bytes = ''] of text.slice(0, end).matchAll(ROW)) {
        const localPort = Number.parseInt(port, 16);
        const clients = queues.get(localPort) ?? new Map<string, number>();
        queues.set(localPort, clients.set(client, Number.parseInt(bytes, 16)));
      }
    }
    return true;
  } catch {
    return false;
  }
}

/** The client's address as Linux prints it: 32-bit words in the byte order of this machine. */
export function clientKey({ address, port }: { readonly address: string; readonly port: number }): string {
  const words = isIPv4(address) ? [wordOf(address.split('.').map(Number))] : wordsOf(address);
  return `${words.map(inHex).join('')}:${portInHex(port)}`;
}

const wordOf = (bytes: readonly number[]) => bytes.reduce((word, byte) => word * 256 + byte, 0);

/** The 32-bit words of an IPv6 address (RFC 4291, section 2.2); a zone is ignored. */
function wordsOf(address: string): readonly number[] {
  const plain = address
    .replace(/%.*$/, '')
    .replace(/[0-9]+(\.[0-9]+){3}$/, (ipv4) => (inBytes(ipv4).match(/.{4}/g) ?? []).join(':'));
  const [before = '', after] = plain.split('::');
  const groups = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [head, tail] = [groups(before), groups(after ?? '')];
  const all = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  return [0, 2, 4, 6].map((at) => (all[at] ?? 0) * 0x1_0000 + (all[at + 1] ?? 0));
}

const inBytes = (ipv4: string) =>
  ipv4
    .split('.')
    .map((byte) => Number(byte).toString(16).padStart(2, '0'))
    .join('');

function inHex(word: number): string {
  const bytes = Buffer.alloc(4);
  if (endianness() === 'LE') bytes.writeUInt32LE(word);
  else bytes.writeUInt32BE(word);
  return bytes.toString('hex').toUpperCase();
}

const portInHex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
