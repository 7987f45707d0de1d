import { isatty } from 'node:tty';
import { pino } from 'pino';
import type { DestinationStream, LogFn, Logger } from 'pino';
import type { Config } from './config.js';
import { describeError } from './error-description.js';
import type { ErrorDescription } from './error-description.js';
import { TerminalLog } from './terminal-log.js';

export const LOGGER = Symbol('logger');

export function createLogger(
  { logLevel }: Pick<Config, 'logLevel'>,
  process: string,
  destination: DestinationStream = standardError(),
): Logger {
  const serializers = {
    err: (error: unknown) => (error instanceof TemporaryFault ? error.described : describeError(error)),
  };
  return pino({ level: logLevel, base: { process }, serializers, hooks: { logMethod } }, destination);
}

const STDERR = 2;

/**
 * Standard error: JSON lines, but readable ones on a terminal. The processes of the launcher share its standard error,
 * so they write alike.
 */
function standardError(): DestinationStream {
  const lines = pino.destination({ fd: STDERR, sync: false });
  return isatty(STDERR) ? new TerminalLog(lines, process.stderr.hasColors()) : lines;
}

class TemporaryFault {
  constructor(readonly described: ErrorDescription) {}
}

/**
 * Omits the stack of an error in a warning. A warning concerns a temporary fault, such as an unavailable store, and
 * appears once for each request: its stack helps nobody. Errors keep their stack.
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
