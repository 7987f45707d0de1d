import { userInfo } from 'node:os';
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { readConfig } from '../../config/config.js';
import { OperatorClient } from './operator-client.js';
import { withJson } from './output.js';
import type { OutputOptions } from './output.js';

export interface OperatorOptions extends OutputOptions {
  readonly as?: string;
}

export interface ActOptions extends OperatorOptions {
  readonly reason?: string;
}

/** Of an act that makes a turn in the life of an account, an application or a post. */
export interface TurnOptions extends ActOptions {
  readonly revision?: number;
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

/** A command that makes a turn in a life, and only if no other operator was first. */
export function withRevision(command: Command): Command {
  return command.option(
    '--revision <number>',
    'act only if this is the lifecycle revision, as the act before answered it',
    lifecycleRevision,
  );
}

function lifecycleRevision(value: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number from 1 on.');
}

/** What such a command says. `state`: what it is called once that is done. */
export function turnLine(id: string, state: string, result: { changed: boolean; revision: number }): string {
  const { changed, revision } = result;
  return changed
    ? `${id} is ${state} now (lifecycle revision ${revision})`
    : `${id} is ${state} already (lifecycle revision ${revision}); nothing changed`;
}

export function operatorApi({ as }: OperatorOptions): OperatorClient {
  return new OperatorClient(readConfig(), as ?? accountName());
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
