import type { CallStatus } from '../status.js';
import { shuttingDown } from '../status.js';

export class LiveCalls {
  readonly #ends = new Set<(status: CallStatus) => void>();
  #closing = false;

  get closing(): boolean {
    return this.#closing;
  }

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
