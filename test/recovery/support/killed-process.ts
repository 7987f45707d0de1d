import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { builtProcess, environment } from '../../support/command.js';

/** The command line, without the launcher that selects a Node version. */
const main = builtProcess('plaza');

/**
 * Runs a command as `bin/plaza.mjs` does on an older Node, which is as a child process. The returned function kills
 * the parent, as a person would.
 */
export function runAsChild(args: readonly string[], env: NodeJS.ProcessEnv): () => Promise<void> {
  const parent = `require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })`;
  const child = spawn(process.execPath, ['-e', parent, '--', main, ...args], {
    env: environment(env),
    stdio: 'ignore',
  });
  const gone = once(child, 'exit');
  return async () => {
    child.kill('SIGKILL');
    await gone;
  };
}

/**
 * Runs a program of this directory with JSON arguments, which prints `held` for each of `count` operations that it
 * stops midway, and kills it after the last. Rejects on any other output and on an early end.
 */
export async function killWhenAllHeld(
  program: string,
  args: readonly unknown[],
  count: number,
): Promise<void> {
  const entry = fileURLToPath(new URL(program, import.meta.url));
  const hook = new URL('../../support/typescript.hooks.mjs', import.meta.url).href;
  const child = spawn(
    process.execPath,
    ['--import', hook, entry, ...args.map((each) => JSON.stringify(each))],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const gone = once(child, 'exit');
  let held = 0;
  for await (const line of createInterface(child.stdout)) {
    if (line !== 'held') throw new Error(line);
    held += 1;
    if (held === count) child.kill('SIGKILL');
  }
  await gone;
  if (held < count) throw new Error(`only ${held} of ${count} got as far as they should`);
}
