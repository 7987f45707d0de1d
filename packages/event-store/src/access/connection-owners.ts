import { open, type FileHandle } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { toIpv4Mapped, connectionKey, hasOwnerUid, parseRow, rowKey } from './proc-net-tcp.js';
import type { TcpAddress, TcpRow } from './proc-net-tcp.js';

export interface Connection {
  local: TcpAddress;
  remote: TcpAddress;
  family: 'IPv4' | 'IPv6';
}

type Table = 'tcp' | 'tcp6';

export type ReadTable = (table: Table) => AsyncIterable<Buffer>;

type End = { readonly [T in Table]?: string };

interface Lookup {
  connection: Connection;
  answer: PromiseWithResolvers<number | undefined>;
}

/**
 * Most bytes that one scan reads of the table of connections, about 200,000 connections. The owner of a connection
 * beyond that is unknown, and the connection is refused.
 */
const MAX_TABLE_BYTES = 32 * 1024 * 1024;
const READ_LENGTH = 4096;
/**
 * After a lookup that found a connection of another user, a pause of this many times its duration follows. So a flood
 * of such connections costs at most a quarter of the time.
 */
const PAUSE_FACTOR = 3;
const MAX_PAUSE_MS = 500;

/**
 * Finds the user at the other end of a loopback connection, in the tables of connections of the kernel. One lookup
 * serves all connections that wait for one, so its cost does not grow with their number.
 */
export class ConnectionOwners {
  #waiting: Lookup[] = [];
  #isRunning = false;

  constructor(
    private readonly isForeign: (uid: number | undefined) => boolean,
    private readonly readTable: ReadTable = readKernelTable,
  ) {}

  /**
   * Returns the uid of the connecting process; undefined: the connection is closed, half closed or not in the table.
   * @throws the error of reading the tables
   */
  async ownerOf(connection: Connection): Promise<number | undefined> {
    const answer = Promise.withResolvers<number | undefined>();
    this.#waiting.push({ connection, answer });
    if (!this.#isRunning) void this.#runLookups();
    return answer.promise;
  }

  async #runLookups(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const lookups = this.#waiting.splice(0);
      const started = performance.now();
      const foundForeign = await this.#lookUp(lookups);
      const pauseMs = Math.min((performance.now() - started) * PAUSE_FACTOR, MAX_PAUSE_MS);
      if (foundForeign) await pause(pauseMs);
    }
    this.#isRunning = false;
  }

  async #lookUp(lookups: readonly Lookup[]): Promise<boolean> {
    try {
      const owners = await this.#owners(lookups.map(({ connection }) => connection));
      lookups.forEach(({ answer }, i) => answer.resolve(owners[i]));
      return owners.some((owner) => this.isForeign(owner));
    } catch (error) {
      for (const { answer } of lookups) answer.reject(error);
      return true;
    }
  }

  /**
   * Returns the owner of the other end of each connection. Our own end is read last: if it still exists then, the
   * other end belongs to the same connection, and not to a later one between the same addresses.
   */
  async #owners(connections: readonly Connection[]): Promise<(number | undefined)[]> {
    const others = await this.#findRows(connections.map(otherEnd));
    const ours = await this.#findRows(connections.filter((_, i) => others[i]).map(ownEnd));
    const openKeys = new Set(ours.flatMap((row) => row?.key ?? []));
    return connections.map((connection, i) => {
      const isOpen = Object.values(ownEnd(connection)).some((key) => openKeys.has(key));
      return isOpen ? others[i]?.uid : undefined;
    });
  }

  async #findRows(ends: readonly End[]): Promise<((TcpRow & { key: string }) | undefined)[]> {
    const rows = new Map<string, TcpRow & { key: string }>();
    const rowOf = ({ tcp = '', tcp6 = '' }: End) => rows.get(tcp) ?? rows.get(tcp6);
    for (const table of ['tcp', 'tcp6'] as const) {
      const wanted = new Set(ends.flatMap((end) => (rowOf(end) ? [] : (end[table] ?? []))));
      if (wanted.size === 0) continue;
      for await (const line of linesOf(this.readTable(table))) {
        const key = rowKey(line);
        if (key === undefined || !wanted.delete(key)) continue;
        const row = parseRow(line);
        if (row && hasOwnerUid(row)) rows.set(key, { ...row, key });
        if (wanted.size === 0) break;
      }
    }
    return ends.map(rowOf);
  }
}

function otherEnd({ local, remote, family }: Connection): End {
  if (family === 'IPv6') return { tcp6: connectionKey(remote, local) };
  return {
    tcp: connectionKey(remote, local),
    tcp6: connectionKey(toIpv4Mapped(remote), toIpv4Mapped(local)),
  };
}

function ownEnd({ local, remote, family }: Connection): End {
  return { [family === 'IPv6' ? 'tcp6' : 'tcp']: connectionKey(local, remote) };
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  let rest = '';
  let length = 0;
  for await (const chunk of chunks) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    length += chunk.length;
    if (length > MAX_TABLE_BYTES) return;
  }
}

async function* readKernelTable(table: Table): AsyncGenerator<Buffer, void> {
  let handle: FileHandle;
  try {
    handle = await open(`/proc/self/net/${table}`);
  } catch (error) {
    // a kernel without IPv6 has no such table
    if (table === 'tcp6' && (error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    const buffer = Buffer.alloc(READ_LENGTH);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, READ_LENGTH, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
