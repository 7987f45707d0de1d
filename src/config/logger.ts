import { pino } from 'pino';
import type { DestinationStream, LogFn, Logger } from 'pino';
import type { Config } from './config.js';

/** Names a process's logger to Nest's container; `pino` has no class for it. */
export const LOGGER = Symbol('logger');

/** One JSON object a line on standard error: standard output belongs to what a person or a script asked for. */
export function createLogger(
  { logLevel }: Pick<Config, 'logLevel'>,
  process: string,
  destination: DestinationStream = pino.destination({ fd: 2, sync: false }),
): Logger {
  const serializers = {
    err: (error: unknown) => (error instanceof Passing ? error.described : describeError(error)),
  };
  return pino({ level: logLevel, base: { process }, serializers, hooks: { logMethod } }, destination);
}

/** An error that somebody else will mend, as it is logged. */
class Passing {
  constructor(readonly described: Described) {}
}

/**
 * What is only warned of passes by itself: a store that is away. Each request meanwhile is a line, and where in the
 * program it was noticed helps nobody. An error keeps its stack.
 */
function logMethod(this: Logger, given: Parameters<LogFn>, method: LogFn, level: number): void {
  const [first, ...others] = given as [unknown, ...unknown[]];
  const isPassing =
    level === pino.levels.values['warn'] && typeof first === 'object' && first !== null && 'err' in first;
  const passing = isPassing ? { ...first, err: new Passing(withoutStack(describeError(first.err))) } : first;
  Reflect.apply(method, this, [passing, ...others]);
}

function withoutStack({ type, message, code, cause }: Described): Described {
  return {
    type,
    message,
    ...(code !== undefined && { code }),
    ...(cause !== undefined && { cause: withoutStack(cause) }),
  };
}

interface Described {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack?: string;
  readonly cause?: Described;
}

/**
 * What a log may keep of an error. Errors of the database also carry the statement's parameters and the failing row:
 * what people wrote, and what they sign in with.
 */
export function describeError(error: unknown): Described {
  if (typeof error !== 'object' || error === null) return { type: typeof error, message: String(error) };
  const { name, message, stack, code, cause } = error as Partial<Error> & { readonly code?: unknown };
  return {
    type: name ?? 'Error',
    message: String(message),
    ...(code !== undefined && { code }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}
