import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { environment, root } from '../../support/command.js';

const running: ChildProcess[] = [];
const dirs: string[] = [];

/** For afterEach: ends what still runs, and removes every directory. */
export function clearUp(): void {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
}

export function newDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plaza-chaos-'));
  // Postgres' account has to enter it.
  chmodSync(dir, 0o755);
  dirs.push(dir);
  return dir;
}

/** Fewer than by default: they take all that the processor has. */
export const CLIENTS = 3;

/** Starts `npm run chaos` in a directory of its own, with {@link CLIENTS} unless `args` say otherwise. */
export function startChaos(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const [cwd, temporary] = [newDir(), newDir()];
  const child = spawn(
    process.execPath,
    [
      '--import',
      join(root, 'test/support/typescript.hooks.mjs'),
      join(root, 'chaos/main.ts'),
      '--clients',
      String(CLIENTS),
      ...args,
    ],
    { cwd, env: { ...environment(env), TMPDIR: temporary }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  running.push(child);
  return {
    child,
    temporary,
    stdout: text(child.stdout),
    stderr: text(child.stderr),
    ended: once(child, 'close'),
    /** Files that remain after the run. */
    left: () => [...readdirSync(temporary), ...readdirSync(cwd, { recursive: true })],
  };
}

/** Runs chaos to its end. */
export async function chaos(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { stdout, stderr, ended, left } = startChaos([...args, '--json'], env);
  const [code] = (await ended) as [number];
  const lines = (await stdout).split('\n').filter((line) => line !== '');
  return {
    code,
    left: left(),
    stderr: await stderr,
    lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

/** The figures of a run without violations. */
export const nothing = { lost: 0, doubled: 0, resurrected: 0, shown: 0, 'out of order': 0, wrong: 0 };
