import { pino } from 'pino';
import type { Logger } from 'pino';
import type { Config } from './config.js';

/** Names a process's logger to Nest's container; `pino` has no class for it. */
export const LOGGER = Symbol('logger');

/** One JSON object a line on standard error: standard output belongs to what a person or a script asked for. */
export function createLogger({ logLevel }: Config, process: string): Logger {
  return pino({ level: logLevel, base: { process } }, pino.destination({ fd: 2, sync: false }));
}
