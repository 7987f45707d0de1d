import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe } from '@jest/globals';
import { environment, plaza } from './command.js';

/** `script` of util-linux; others of this name take other options. */
const hasScript = /util-linux/.test(spawnSync('script', ['--version']).stdout?.toString() ?? '');

/** On a machine without `script`, the closing lines of a run name what was not tested. */
export const describeOnTerminal = hasScript ? describe : describe.skip;

/** Starts Plaza on a terminal of its own, which nobody types on. It ends with the test's process. */
export function startOnTerminal(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const command = [process.execPath, plaza, ...args].map(quoted).join(' ');
  return spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: environment({ SHELL: '/bin/sh', TERM: 'xterm-256color', ...env }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Runs one command to its end; both of its outputs are on the terminal. */
export async function runOnTerminal(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number | null; readonly lines: readonly string[] }> {
  const child = startOnTerminal(args, env);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [code, shown] = await Promise.all([ended, child.stdout ? text(child.stdout) : '']);
  return { code, lines: shown.trimEnd().split('\r\n') };
}

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
