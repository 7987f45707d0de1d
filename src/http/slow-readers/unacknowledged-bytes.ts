import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { endianness } from 'node:os';

/** Linux, proc(5): `sl local_address rem_address st tx_queue:rx_queue …`, all in hexadecimal. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const IN_USE = new Set(['01', '08']);

/**
 * Returns the unacknowledged bytes of each client of a local port, by {@link clientKey}; clients without any are
 * absent. Undefined on systems other than Linux.
 */
export async function unacknowledgedBytes(
  localPort: number,
): Promise<ReadonlyMap<string, number> | undefined> {
  const tables = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => undefined)));
  if (tables.every((table) => table === undefined)) return undefined;
  const local = `:${portInHex(localPort)}`;
  const queues = new Map<string, number>();
  for (const line of tables.join('\n').split('\n')) {
    const [, from, to = '', state = '', queue = ''] = line.trim().split(/\s+/, 5);
    if (!from?.endsWith(local) || !IN_USE.has(state)) continue;
    const bytes = Number.parseInt(queue, 16);
    if (bytes > 0) queues.set(to, bytes);
  }
  return queues;
}

/** The client's address as Linux prints it: 32-bit words in the byte order of this machine. */
export function clientKey({ address, port }: { readonly address: string; readonly port: number }): string {
  const words = isIPv4(address) ? [wordOf(address.split('.').map(Number))] : wordsOf(address);
  return `${words.map(inHex).join('')}:${portInHex(port)}`;
}

const wordOf = (bytes: readonly number[]) => bytes.reduce((word, byte) => word * 256 + byte, 0);

/** IPv6 (RFC 4291, section 2.2); a zone is ignored. */
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
