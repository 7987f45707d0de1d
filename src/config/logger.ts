import { pino } from 'pino';
import type { DestinationStream, LogFn, Logger } from 'pino';
import type { Config } from './config.js';

export const LOGGER = Symbol('logger');

export function createLogger(
  { logLevel }: Pick<Config, 'logLevel'>,
  process: string,
  destination: DestinationStream = pino.destination({ fd: 2, sync: false }),
): Logger {
  const serializers = {
    err: (error: unknown) => (error instanceof TemporaryFault ? error.described : describeError(error)),
  };
  return pino({ level: logLevel, base: { process }, serializers, hooks: { logMethod } }, destination);
}

class TemporaryFault {
  constructor(readonly described: ErrorDescription) {}
}

/**
 * A warning concerns a temporary fault, such as an unavailable store. It appears once for each request, and its stack
 * helps nobody, so it is omitted. Errors keep their stack.
 */
function logMethod(this: Logger, given: Parameters<LogFn>, method: LogFn, level: number): void {
  const [first, ...others] = given as [unknown, ...unknown[]];
  const isTemporary =
    level === pino.levels.values['warn'] && typeof first === 'object' && first !== null && 'err' in first;
  const shortened = isTemporary
    ? { ...first, err: new TemporaryFault(withoutStack(describeError(first.err))) }
    : first;
  Reflect.apply(method, this, [shortened, ...others]);
}

function withoutStack({ type, message, code, cause }: ErrorDescription): ErrorDescription {
  return {
    type,
    message,
    ...(code !== undefined && { code }),
    ...(cause !== undefined && { cause: withoutStack(cause) }),
  };
}

interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

/**
 * Omits all other properties: database errors carry the statement's parameters and the failing row, with personal
 * texts and credentials.
 */
export function describeError(error: unknown): ErrorDescription {
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
