import type { Socket } from 'node:net';

export interface ArrivalLimits {
  /** Connections that have not shown yet who they are and what they want. */
  count: number;
  /** How long a connection may take until it speaks gRPC, or is answered and closed. */
  ms: number;
}

/**
 * The connections that are not served yet, by the address and port they come from: bounded in number and time. When there
 * are too many, the oldest has to go, since whoever means well is done within moments.
 */
export class Arrivals {
  readonly #arrivals = new Map<string, { socket: Socket; timer: NodeJS.Timeout }>();

  constructor(private readonly limits: ArrivalLimits) {}

  /** A second connection from the same place means that the first one is gone, whatever of it can still be read. */
  add(socket: Socket): void {
    const peer = peerOf(socket);
    this.#remove(peer);
    const timer = setTimeout(() => this.#remove(peer), this.limits.ms);
    this.#arrivals.set(peer, { socket, timer });
    socket.once('close', () => {
      if (this.#arrivals.get(peer)?.socket === socket) this.#forget(peer);
    });
    const [oldest] = this.#arrivals.keys();
    if (this.#arrivals.size > this.limits.count && oldest !== undefined) this.#remove(oldest);
  }

  /** The connection is served now: from here on it is its server's. */
  served(socket: Socket): void {
    this.#forget(peerOf(socket));
  }

  closeAll(): void {
    for (const peer of this.#arrivals.keys()) this.#remove(peer);
  }

  #remove(peer: string): void {
    const socket = this.#arrivals.get(peer)?.socket;
    this.#forget(peer);
    socket?.destroy();
  }

  #forget(peer: string): void {
    clearTimeout(this.#arrivals.get(peer)?.timer);
    this.#arrivals.delete(peer);
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
