import type { Socket } from 'node:net';

export interface ArrivalLimits {
  unknown: number;
  /** Connections that have sent no request yet or, over TLS, no valid credentials. */
  silent: number;
  ms: number;
}

interface Arrival {
  socket: Socket;
  timer: NodeJS.Timeout;
}

/** Connections that are not served yet, by remote address and port. Bounded in number and time. */
export class Arrivals {
  readonly #unknown = new Map<string, Arrival>();
  readonly #silent = new Map<string, Arrival>();

  constructor(private readonly limits: ArrivalLimits) {}

  /**
   * Returns false if too many connections wait: the caller refuses the newest. Any other rule lets a flood of
   * connections from another user evict the legitimate ones.
   */
  awaitOwner(socket: Socket): boolean {
    this.#removeEarlier(socket);
    if (this.#unknown.size >= this.limits.unknown) return false;
    this.#unknown.set(peerOf(socket), this.#arrival(socket));
    return true;
  }

  /** Evicts the oldest connection if there are too many: a real client sends its first bytes within moments. */
  awaitFirstBytes(socket: Socket): void {
    const peer = peerOf(socket);
    const known = this.#unknown.get(peer);
    if (!known) this.#removeEarlier(socket);
    this.#unknown.delete(peer);
    this.#silent.set(peer, known ?? this.#arrival(socket));
    const [oldest] = this.#silent.keys();
    if (this.#silent.size > this.limits.silent && oldest !== undefined) this.#remove(oldest);
  }

  admitted(peer: string): void {
    this.#forget(peer);
  }

  closeAll(): void {
    for (const peer of [...this.#unknown.keys(), ...this.#silent.keys()]) this.#remove(peer);
  }

  #arrival(socket: Socket): Arrival {
    const peer = peerOf(socket);
    socket.once('close', () => {
      if (this.#at(peer)?.socket === socket) this.#forget(peer);
    });
    return { socket, timer: setTimeout(() => this.#remove(peer), this.limits.ms) };
  }

  /** A second connection from the same address and port proves that the first one is closed. */
  #removeEarlier(socket: Socket): void {
    this.#remove(peerOf(socket));
  }

  #at(peer: string): Arrival | undefined {
    return this.#unknown.get(peer) ?? this.#silent.get(peer);
  }

  #remove(peer: string): void {
    const socket = this.#at(peer)?.socket;
    this.#forget(peer);
    socket?.destroy();
  }

  #forget(peer: string): void {
    clearTimeout(this.#at(peer)?.timer);
    this.#unknown.delete(peer);
    this.#silent.delete(peer);
  }
}

export function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}
