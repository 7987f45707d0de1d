import type { Socket } from 'node:net';

export interface PendingConnectionLimits {
  unidentified: number;
  /** Connections that have sent no request yet or, over TLS, no valid credentials. */
  silent: number;
  timeoutMs: number;
}

interface PendingConnection {
  socket: Socket;
  timer: NodeJS.Timeout;
}

/** Connections that are not served yet, by remote address and port. Bounded in number and time. */
export class PendingConnections {
  readonly #unidentified = new Map<string, PendingConnection>();
  readonly #silent = new Map<string, PendingConnection>();

  constructor(private readonly limits: PendingConnectionLimits) {}

  /**
   * Returns false if too many connections wait: the caller refuses the newest. Any other rule lets a flood of
   * connections from another user evict the legitimate ones.
   */
  awaitOwner(socket: Socket): boolean {
    this.#removeEarlier(socket);
    if (this.#unidentified.size >= this.limits.unidentified) return false;
    this.#unidentified.set(remoteEndpointOf(socket), this.#watch(socket));
    return true;
  }

  /** Evicts the oldest connection if there are too many: a real client sends its first bytes within moments. */
  awaitFirstBytes(socket: Socket): void {
    const peer = remoteEndpointOf(socket);
    const known = this.#unidentified.get(peer);
    if (!known) this.#removeEarlier(socket);
    this.#unidentified.delete(peer);
    this.#silent.set(peer, known ?? this.#watch(socket));
    const [oldest] = this.#silent.keys();
    if (this.#silent.size > this.limits.silent && oldest !== undefined) this.#remove(oldest);
  }

  release(peer: string): void {
    this.#forget(peer);
  }

  closeAll(): void {
    for (const peer of [...this.#unidentified.keys(), ...this.#silent.keys()]) this.#remove(peer);
  }

  #watch(socket: Socket): PendingConnection {
    const peer = remoteEndpointOf(socket);
    socket.once('close', () => {
      if (this.#find(peer)?.socket === socket) this.#forget(peer);
    });
    return { socket, timer: setTimeout(() => this.#remove(peer), this.limits.timeoutMs) };
  }

  /** A second connection from the same address and port proves that the first one is closed. */
  #removeEarlier(socket: Socket): void {
    this.#remove(remoteEndpointOf(socket));
  }

  #find(peer: string): PendingConnection | undefined {
    return this.#unidentified.get(peer) ?? this.#silent.get(peer);
  }

  #remove(peer: string): void {
    const socket = this.#find(peer)?.socket;
    this.#forget(peer);
    socket?.destroy();
  }

  #forget(peer: string): void {
    clearTimeout(this.#find(peer)?.timer);
    this.#unidentified.delete(peer);
    this.#silent.delete(peer);
  }
}

export function remoteEndpointOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}
