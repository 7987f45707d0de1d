import { setTimeout as pause } from 'node:timers/promises';

const TRIES = 5;
/** Seconds to wait where nobody says how long. */
const WAIT = 2;

interface Result<Data> {
  readonly data?: Data;
  readonly error?: { readonly error?: string; readonly message?: string };
  readonly response: Response;
}

/**
 * What the network answers in the end. A request that it could not answer now (429, 503), or whose answer was lost on the
 * way, is sent again as it was: `request` is to make the identical one each time. A mutation has its `intentId` from
 * before the first try, so that it is done once, however often it is sent.
 * @throws {Error} it is refused, or nothing came of {@link TRIES}
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
