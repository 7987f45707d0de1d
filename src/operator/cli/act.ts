import { userInfo } from 'node:os';
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { readConfig } from '../../config/config.js';
import { OperatorApi } from './operator-api.js';
import { withJson } from './output.js';
import type { OutputOptions } from './output.js';

export interface OperatorOptions extends OutputOptions {
  readonly as?: string;
}

export interface ActOptions extends OperatorOptions {
  readonly reason?: string;
}

/** A command that talks to the operator API: it can say who asks, and answer with JSON. */
export function withOperator(command: Command): Command {
  return withJson(command).option(
    '--as <name>',
    'whose act this is (default: your account on this machine)',
    operatorName,
  );
}

/** The log forgets nothing, and nobody's erasure reaches what is written here. */
export const WHY = 'why, for the record: kept for good, so name nobody in it';

/** A command that changes something: it can say why as well, and both are recorded. */
export function withReason(command: Command): Command {
  return withOperator(command).option('--reason <why>', WHY);
}

export function operatorApi({ as }: OperatorOptions): OperatorApi {
  return new OperatorApi(readConfig(), as ?? accountName());
}

/**
 * The account on this machine, as far as a header can carry its name. An id that nobody gave a name, as containers
 * often run under, stands for itself.
 */
export function accountName(name: () => string = () => userInfo().username): string {
  let given: string;
  try {
    given = name();
  } catch {
    given = `uid ${process.getuid?.() ?? 'unknown'}`;
  }
  return given.replaceAll(/[^\u0020-\u007E]/gu, '?').slice(0, 64);
}

/** It travels in an HTTP header. */
function operatorName(value: string): string {
  if (/^[\u0021-\u007E][\u0020-\u007E]{0,63}$/.test(value)) return value;
  throw new InvalidArgumentError('It must be 1 to 64 ASCII characters.');
}
