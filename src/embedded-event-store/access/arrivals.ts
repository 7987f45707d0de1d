import type { Socket } from 'node:net';

export interface ArrivalLimits {
  /** Connections whose owner is not known yet. */
  unknown: number;
  /** Connections that have not said yet what they want or, over TLS, who they are. */
  silent: number;
  /** How long a connection may take until it has said so, or is answered and closed. */
  ms: number;
}

interface Arrival {
  socket: Socket;
  timer: NodeJS.Timeout;
}

/** The connections that are not served yet, by the address and port they come from: bounded in number and time. */
export class Arrivals {
  readonly #unknown = new Map<string, Arrival>();
  readonly #silent = new Map<string, Arrival>();

  constructor(private readonly limits: ArrivalLimits) {}

  /**
   * Takes a connection whose owner has to be found out. False if there are too many: the newest has to go, since any other
   * rule lets strangers who connect in a loop push out the others before their owner is known.
   */
  awaitOwner(socket: Socket): boolean {
    this.#removeEarlier(socket);
    if (this.#unknown.size >= this.limits.unknown) return false;
    this.#unknown.set(peerOf(socket), this.#arrival(socket));
    return true;
  }

  /** Takes a connection that may speak. If there are too many, the oldest has to go: others speak within moments. */
  awaitFirstBytes(socket: Socket): void {
    const peer = peerOf(socket);
    const known = this.#unknown.get(peer);
    if (!known) this.#removeEarlier(socket);
    this.#unknown.delete(peer);
    this.#silent.set(peer, known ?? this.#arrival(socket));
    const [oldest] = this.#silent.keys();
    if (this.#silent.size > this.limits.silent && oldest !== undefined) this.#remove(oldest);
  }

  /** What this connection asks for may be served: from here on it is its server's. */
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

  /** A second connection from the same place means that the first one is gone, whatever of it can still be read. */
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

/** Where a connection comes from, in the words of gRPC. */
export function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}
