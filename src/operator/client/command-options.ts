import { userInfo } from 'node:os';
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { readConfig } from '../../base/config/config.js';
import type { Act } from '../desk/act.js';
import type { Calls } from './calls.js';
import { OperatorClient } from './operator-client.js';
import { withJsonOption } from '../../base/terminal/output.js';
import type { OutputOptions } from '../../base/terminal/output.js';

export interface OperatorOptions extends OutputOptions {
  readonly as?: string;
}

export interface CommandOptions extends OperatorOptions {
  readonly reason?: string;
}

export interface LifecycleOptions extends CommandOptions {
  readonly revision?: number;
}

export function withOperator(command: Command): Command {
  return withJsonOption(command).option(
    '--as <name>',
    'name to record as claimed, beside the operator of the token (default: your account on this machine)',
    operatorName,
  );
}

/** Help text of `--reason`. No erasure reaches a reason: the log keeps it in plain text. */
export const REASON_HELP = 'reason to record; it is kept for good, so name no person in it';

export function withReason(command: Command): Command {
  return withOperator(command).option('--reason <why>', REASON_HELP);
}

export function withRevision(command: Command): Command {
  return command.option(
    '--revision <number>',
    'change only if this is the current lifecycle revision, as the previous change answered it',
    lifecycleRevision,
  );
}

/** Parses a repeated option whose values are among `choices`. @throws {InvalidArgumentError} */
export const someOf =
  <Choice extends string>(choices: readonly Choice[]) =>
  (value: string, chosen: readonly Choice[] = []): readonly Choice[] => {
    const choice = choices.find((each) => each === value);
    if (choice !== undefined) return [...chosen, choice];
    throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}.`);
  };

export function wholeNumber(value: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999999.');
}

function lifecycleRevision(value: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('A lifecycle revision must be a whole number from 1.');
}

interface Change {
  readonly changed: boolean;
}

interface LifecycleChange extends Change {
  readonly revision: number;
}

/** `line`: what is so after the command, and may have been so before. */
export const doneLine = (line: string, { changed }: Change): string =>
  changed ? line : `${line} already; nothing changed`;

/** Lines of a change of the subject that the command names first. */
export const subjectIs = (said: string) => (result: Change, id: string) => [
  doneLine(`${id} is ${said}`, result),
];

/** Lines of a change of the whole network. */
export const nowIs = (said: string) => (result: Change) => [
  doneLine(result.changed ? `${said} now` : said, result),
];

/** Describes the outcome of a lifecycle command in one line. `state`: the state after the command. */
export function lifecycleLine(id: string, state: string, { changed, revision }: LifecycleChange): string {
  return changed
    ? `${id} is ${state} now (lifecycle revision ${revision})`
    : `${id} is ${state} already (lifecycle revision ${revision}); nothing changed`;
}

export const lifecycleIs = (state: string) => (result: LifecycleChange, id: string) => [
  lifecycleLine(id, state, result),
];

export function operatorClientOf({ as }: OperatorOptions): OperatorClient {
  return new OperatorClient(readConfig(), as ?? accountName());
}

/** The calls of these rows of the table of acts. */
export const actsOf = <Rows extends readonly Act[]>(options: OperatorOptions): Calls<Rows[number]> =>
  operatorClientOf(options).of<Rows>();

/**
 * Name of the account on this machine, in printable ASCII for an HTTP header. A uid without a name, as in containers,
 * stands for itself.
 */
export function accountName(name: () => string = () => userInfo().username): string {
  let account: string;
  try {
    account = name();
  } catch {
    account = `uid ${process.getuid?.() ?? 'unknown'}`;
  }
  return account.replaceAll(/[^\u0020-\u007E]/gu, '?').slice(0, 64);
}

function operatorName(value: string): string {
  if (/^[\u0021-\u007E][\u0020-\u007E]{0,63}$/.test(value)) return value;
  throw new InvalidArgumentError('The name of an operator must be 1 to 64 ASCII characters.');
}
