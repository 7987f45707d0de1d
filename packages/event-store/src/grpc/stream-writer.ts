import type { ServerSurfaceCall } from '@grpc/grpc-js/build/src/server-call.js';
import type { Writable } from 'node:stream';
import type { CallStatus } from '../status.js';

/** Sends the responses of a streaming call: waits while the client is slow, and ends the call only once. */
export class StreamWriter {
  #closed = false;
  #ended = false;
  #resume: (() => void) | undefined;
  readonly #onClose: (() => void)[] = [];

  constructor(private readonly call: ServerSurfaceCall & Writable) {
    for (const event of ['cancelled', 'close', 'finish', 'error']) call.once(event, () => this.#close());
    call.on('drain', () => this.#resume?.());
  }

  get closed(): boolean {
    return this.#closed;
  }

  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#onClose.push(listener);
  }

  async send(message: unknown): Promise<void> {
    if (!this.#closed && !this.call.write(message)) await this.drained();
  }

  /**
   * Sends a response without waiting for a slow client: the caller must limit them by `pendingMessages` and
   * `drained`.
   */
  push(message: unknown): void {
    if (!this.#closed && !this.#ended) this.call.write(message);
  }

  get pendingMessages(): number {
    return this.call.writableLength;
  }

  async drained(): Promise<void> {
    if (this.#closed || !this.call.writableNeedDrain) return;
    await new Promise<void>((resolve) => (this.#resume = resolve));
  }

  end(): void {
    if (this.#closed || this.#ended) return;
    this.#ended = true;
    this.call.end();
  }

  fail(status: CallStatus): void {
    if (this.#closed || this.#ended) return;
    this.#ended = true;
    this.call.emit('error', status);
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#resume?.();
    for (const listener of this.#onClose) listener();
  }
}
