import { pino } from 'pino';
import type { Logger } from 'pino';
import type { Config } from './config.js';

/** Names a process's logger to Nest's container; `pino` has no class for it. */
export const LOGGER = Symbol('logger');

/** One JSON object a line on standard error: standard output belongs to what a person or a script asked for. */
export function createLogger({ logLevel }: Pick<Config, 'logLevel'>, process: string): Logger {
  const destination = pino.destination({ fd: 2, sync: false });
  return pino({ level: logLevel, base: { process }, serializers: { err: describeError } }, destination);
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
