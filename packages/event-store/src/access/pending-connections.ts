import type { Socket } from 'node:net';

export interface PendingConnectionLimits {
  unidentified: number;
  /** Most connections that have sent no first bytes yet or, over TLS, no call with valid credentials. */
  silent: number;
  timeoutMs: number;
}

interface PendingConnection {
  socket: Socket;
  timer: NodeJS.Timeout;
}

/** Connections that have proven nothing yet, by remote address and port. Bounded in number and in time. */
export class PendingConnections {
  readonly #unidentified = new Map<string, PendingConnection>();
  readonly #silent = new Map<string, PendingConnection>();

  constructor(private readonly limits: PendingConnectionLimits) {}

  /**
   * Adds a connection whose user is being looked up. Returns false if too many wait: the caller then refuses this
   * newest one. If it evicted another, a flood of connections of another user would close the legitimate ones.
   */
  awaitOwner(socket: Socket): boolean {
    this.#removeEarlier(socket);
    if (this.#unidentified.size >= this.limits.unidentified) return false;
    this.#unidentified.set(remoteEndpointOf(socket), this.#watch(socket));
    return true;
  }

  /**
   * Adds a connection that must send its first bytes. If there are too many, closes the oldest one: a real client
   * sends its first bytes within moments.
   */
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

  /**
   * Closes an earlier connection of the same remote address and port: the new one proves that the client has closed
   * it.
   */
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
