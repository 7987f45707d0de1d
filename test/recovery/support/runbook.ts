import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Block } from '../../examples/support/document.js';
import { environment, plaza, root } from '../../support/command.js';
import type { TestNetwork } from '../../support/network.js';

const LONGEST_WAIT_MS = 60_000;

/** A line of shell in the runbook, with the output that the runbook shows, if any. */
export interface Step {
  readonly heading: string;
  readonly line: string;
  readonly answers: string | undefined;
}

/** All lines of shell in the order of the document. A block of output belongs to the last line before it. */
export const stepsOf = (blocks: readonly Block[]): readonly Step[] =>
  blocks.flatMap(({ language, text, heading }, at) => {
    if (language !== 'sh') return [];
    const lines = text.split('\n');
    const next = blocks[at + 1];
    const answers = next?.language === 'text' ? next.text : undefined;
    return lines.map((line, index) => ({
      heading,
      line,
      answers: index === lines.length - 1 ? answers : undefined,
    }));
  });

/** Every command between backticks in a sentence or a table: `plaza recovery plan`. */
export const mentionedIn = (document: string): readonly string[] =>
  [...document.replaceAll(/^```.*?^```$/gms, '').matchAll(/`(?:npx )?(plaza [a-z][^`]*)`/g)].map(
    ([, command = '']) => command,
  );

/** Whether a line runs that command, with all of its words and options. */
export function isRunBy(line: string, mentioned: string): boolean {
  const typed = line.split(/\s+/);
  const words = mentioned.split(/\s+/).filter((word) => /^(?:--)?[a-z][a-z-]*$/.test(word));
  return words.every((word) => typed.includes(word));
}

/**
 * Runs a line of the runbook with the addresses of this network, and returns its output. Rejects if it fails.
 * `variables`: values of its shell variables.
 */
async function type(
  network: TestNetwork,
  line: string,
  words: Readonly<Record<string, string>>,
): Promise<string> {
  if (line === 'npm start') {
    await network.restart();
    return '';
  }
  const { baseUrl, env } = network;
  const typed = line
    .replace('npx plaza', `"${process.execPath}" "${plaza}"`)
    .replace('http://localhost:3000', baseUrl)
    .replace('http://localhost:3001', `http://127.0.0.1:${env['OPERATOR_PORT']}`);
  const [, address] = /^curl -s (\S+)$/.exec(typed) ?? [];
  if (address !== undefined) return (await fetch(address)).text();
  const options = { cwd: root, env: { ...environment(env), ...words } };
  return (await promisify(execFile)('sh', ['-euc', typed], options)).stdout;
}

/**
 * Runs a step, and returns its output and the documented one. Repeats a read-only command until they match, as a
 * person does who waits.
 */
export async function typed(
  network: TestNetwork,
  { line, answers }: Step,
  words: Readonly<Record<string, string>>,
): Promise<readonly [printed: string, written: string]> {
  const giveUpAt = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const printed = await type(network, line, words);
    const written = answers === undefined ? printed : asWritten(answers, printed);
    if (printed === written || !/^curl | status$/.test(line) || performance.now() > giveUpAt)
      return [printed, written];
  }
}

/**
 * The output itself if it matches the documented one, else the latter. `<NAME>` is any word; `…` is any text or any
 * lines.
 */
function asWritten(answers: string, printed: string): string {
  const pattern = answers
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\\n)*?' : `${patternOf(line)}\\n`))
    .join('');
  return new RegExp(`^${pattern}$`).test(`${printed.trimEnd()}\n`) ? printed : answers;
}

const patternOf = (line: string) =>
  line
    .split(/(<[A-Z_]+>|…)/)
    .map((part) => {
      if (part === '…') return '.*';
      return /^<[A-Z_]+>$/.test(part) ? '\\S+' : part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
    })
    .join('');
