import type { Command } from 'commander';
import { plainText } from '../../support/plain-text.js';

export interface OutputOptions {
  readonly json?: true;
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print the answer as JSON');
}

export function answer(options: OutputOptions, result: unknown, lines: readonly string[]): void {
  process.stdout.write(plainText(options.json ? `${JSON.stringify(result)}\n` : `${lines.join('\n')}\n`));
}

/** ISO 8601 in UTC. `ms`: Unix milliseconds. */
export function moment(ms: number): string {
  return new Date(ms).toISOString();
}
