import type { ServerSurfaceCall } from '@grpc/grpc-js/build/src/server-call.js';
import type { Writable } from 'node:stream';
import type { CallStatus } from './status.js';

/** The sending half of a streaming call: respects the client's pace, and ends once, whoever ends it. */
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

  /** Calls `listener` when the call is over, for whatever reason. */
  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#onClose.push(listener);
  }

  /** Sends a message; resolves when the next one may be sent, or the call is over. */
  async send(message: unknown): Promise<void> {
    if (!this.#closed && !this.call.write(message)) await this.drained();
  }

  /** Sends a message of a call whose pace is kept by `waiting` and `drained`; nothing behind the end of the call. */
  push(message: unknown): void {
    if (!this.#closed && !this.#ended) this.call.write(message);
  }

  /** Messages that the client has not taken yet. */
  get waiting(): number {
    return this.call.writableLength;
  }

  /** Resolves when the client has taken all messages, or the call is over. */
  async drained(): Promise<void> {
    if (this.#closed || !this.call.writableNeedDrain) return;
    await new Promise<void>((resolve) => (this.#resume = resolve));
  }

  /** Ends the call successfully, behind the messages that are still on their way. */
  end(): void {
    if (this.#closed || this.#ended) return;
    this.#ended = true;
    this.call.end();
  }

  /** Ends the call with an error, unless it has ended. */
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
