import type { Socket } from 'node:net';
import { ConnectionOwners } from './connection-owners.js';
import type { Connection } from './connection-owners.js';

export type Log = (
  level: 'info' | 'warn' | 'error',
  message: string,
  fields: Record<string, unknown>,
) => void;

const ROOT = 0;
const LOG_INTERVAL_MS = 10_000;

interface SameUserOptions {
  uid: number;
  log: Log;
  now: () => { getTime(): number };
}

/** Admits loopback connections of processes of one user, and of root. Works on Linux only. */
export class SameUser {
  readonly #owners: ConnectionOwners;
  #refused = 0;
  #loggedAt = -Infinity;

  constructor(private readonly options: SameUserOptions) {
    this.#owners = new ConnectionOwners((uid) => !this.#isAdmitted(uid));
  }

  async admits(socket: Socket): Promise<boolean> {
    const connection = connectionOf(socket);
    if (!connection) return false;
    try {
      const uid = await this.#owners.ownerOf(connection);
      if (!this.#isAdmitted(uid)) this.#logRefusal({ uid: uid ?? 'unknown' });
      return this.#isAdmitted(uid);
    } catch (error) {
      this.#logRefusal({ error: (error as Error).message });
      return false;
    }
  }

  #isAdmitted(uid: number | undefined): boolean {
    return uid === ROOT || uid === this.options.uid;
  }

  #logRefusal(fields: Record<string, unknown>): void {
    this.#refused++;
    const now = this.options.now().getTime();
    // `abs`: the clock may go backwards
    if (Math.abs(now - this.#loggedAt) < LOG_INTERVAL_MS) return;
    this.options.log('warn', 'connection refused: it does not belong to the user of the event store', {
      ...fields,
      refused: this.#refused,
    });
    this.#loggedAt = now;
    this.#refused = 0;
  }
}

function connectionOf(socket: Socket): Connection | undefined {
  const { localAddress, localPort, remoteAddress, remotePort, remoteFamily } = socket;
  if (localAddress === undefined || localPort === undefined) return undefined;
  if (remoteAddress === undefined || remotePort === undefined) return undefined;
  return {
    local: { address: localAddress, port: localPort },
    remote: { address: remoteAddress, port: remotePort },
    family: remoteFamily === 'IPv6' ? 'IPv6' : 'IPv4',
  };
}
