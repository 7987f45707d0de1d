import { runPlaza } from '../../support/command.js';
import type { TestNetwork } from '../../support/network.js';

/** The JSON output of an operator's command. Rejects if its exit code is not 0. */
export async function answerOf<T>({ env }: TestNetwork, args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await runPlaza([...args, '--json'], env);
  if (code !== 0) throw new Error(`plaza ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as T;
}
