import type { Command } from 'commander';
import { plainText } from './plain-text.js';

export interface OutputOptions {
  readonly json?: true;
}

/** Every command can answer with JSON. */
export function withJson(command: Command): Command {
  return command.option('--json', 'answer with JSON');
}

/** One answer: as JSON for programs, else as lines for people. */
export function answer(options: OutputOptions, result: unknown, lines: readonly string[]): void {
  process.stdout.write(plainText(options.json ? `${JSON.stringify(result)}\n` : `${lines.join('\n')}\n`));
}

/** A moment (Unix milliseconds) as people and programs read it, in UTC. */
export function moment(ms: number): string {
  return new Date(ms).toISOString();
}
