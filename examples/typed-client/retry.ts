import { setTimeout as pause } from 'node:timers/promises';

const TRIES = 5;
/** Seconds to wait without a `Retry-After` header. */
const WAIT = 2;

interface Result<Data> {
  readonly data?: Data;
  readonly error?: { readonly error?: string; readonly message?: string };
  readonly response: Response;
}

/**
 * Repeats a request on 429, 503 and lost answers, and returns the final answer. `request` must create the identical
 * request each time. A mutation's `intentId` is created before the first try, so repetitions have one effect.
 * @throws {Error} a refusal, or no answer after {@link TRIES}
 */
export async function answered<Data>(request: () => Promise<Result<Data>>): Promise<Data> {
  for (let tries = 1; ; tries++) {
    const result = await request().catch((cause: unknown) => new Error('no answer', { cause }));
    if (!(result instanceof Error) && result.data !== undefined) return result.data;
    const status = result instanceof Error ? 503 : result.response.status;
    if (tries === TRIES || (status !== 429 && status !== 503)) throw refusal(result);
    const seconds =
      result instanceof Error ? WAIT : Number(result.response.headers.get('retry-after') ?? WAIT);
    await pause(seconds * 1_000);
  }
}

function refusal(result: Result<unknown> | Error): Error {
  if (result instanceof Error) return result;
  const { error, message } = result.error ?? {};
  return new Error(`${message ?? 'refused'} (${error ?? result.response.status})`);
}
