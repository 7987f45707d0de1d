import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The build that tests run: the repository's own, or another directory with `bin` and `dist`. */
export const root = process.env['PLAZA_BUILD'] ?? fileURLToPath(new URL('../..', import.meta.url));
export const plaza = join(root, 'bin', 'plaza.mjs');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command of the operator's command line to its end. */
export async function runPlaza(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input = '',
  program = plaza,
): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: 'pipe',
  });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
