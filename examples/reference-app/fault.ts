/** A request that cannot be answered as asked. `code`: one of pages/faults.txt, which has its text. `retryAfter` in seconds. */
export class Fault extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfter: number | undefined;

  constructor(status: number, code: string, cause?: unknown, retryAfter?: number) {
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

export const retryAfterOf = ({ headers }: Response): number | undefined =>
  Number(headers.get('retry-after')) || undefined;
