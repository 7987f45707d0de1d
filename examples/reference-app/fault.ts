interface Details {
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/**
 * A request that cannot be answered as asked. `code`: of the network, or one of this application (pages/faults.ts has a
 * text for each that people meet). `retryAfter` in seconds.
 */
export class Fault extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfter: number | undefined;

  constructor(status: number, code: string, { retryAfter, cause }: Details = {}) {
    super(code, { cause });
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }

  /** The action may have happened, or may happen when it is repeated: its text must be kept. */
  get isOpen(): boolean {
    return this.status === 401 || this.status === 429 || this.status >= 500;
  }
}

/** Seconds of a `Retry-After` header, as an option of {@link Fault}. */
export function retryAfterOf(headers: Headers): Details {
  const seconds = Number(headers.get('retry-after'));
  return seconds > 0 ? { retryAfter: seconds } : {};
}
