import type { Command } from 'commander';
import { localTime } from '../support/local-time.js';
import { plainText } from '../support/plain-text.js';
import { terminal } from './terminal.js';

export interface OutputOptions {
  readonly json?: true;
}

export function withJsonOption(command: Command): Command {
  return command.option('--json', 'print the answer as JSON');
}

export function printResult(options: OutputOptions, result: unknown, lines: readonly string[]): void {
  print(options.json ? [JSON.stringify(result)] : lines);
}

/** Prints a list: as a table on a terminal, elsewhere and with `--json` as one JSON object a line. */
export function answerList<Item>(
  options: OutputOptions,
  items: readonly Item[],
  tableOf: (items: readonly Item[]) => readonly string[],
): void {
  const isTable = options.json !== true && isOnTerminal();
  const lines = isTable ? tableOf(items) : items.map((item) => JSON.stringify(item));
  if (lines.length > 0) print(lines);
}

export const isOnTerminal = (): boolean => terminal().stdout.isTTY === true;

function print(lines: readonly string[]): void {
  terminal().stdout.write(plainText(`${lines.join('\n')}\n`));
}

/** Formats a time as ISO 8601 in UTC. `ms`: Unix milliseconds. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** Formats a time for a table: `2026-01-31 09:30:00` in the time zone of the operator. `ms`: Unix milliseconds. */
export function localMoment(ms: number): string {
  return localTime(ms).slice(0, -'.000'.length);
}
