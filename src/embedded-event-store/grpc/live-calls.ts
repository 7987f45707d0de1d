import type { CallStatus } from './status.js';
import { shuttingDown } from './status.js';

/** The streaming calls under way, to be ended when the server closes. */
export class LiveCalls {
  readonly #ends = new Set<(status: CallStatus) => void>();
  #closing = false;

  /** Whether new calls have to be turned away. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Registers how a call is ended; returns how to forget it. */
  add(end: (status: CallStatus) => void): () => void {
    this.#ends.add(end);
    return () => this.#ends.delete(end);
  }

  refuseNew(): void {
    this.#closing = true;
  }

  endAll(): void {
    for (const end of this.#ends) end(shuttingDown());
    this.#ends.clear();
  }
}
