import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Block } from '../../examples/support/document.js';
import { environment, plaza, root } from '../../support/command.js';
import type { TestNetwork } from '../../support/network.js';

const LONGEST_WAIT_MS = 60_000;

/** One line that the runbook tells to type, and what it says that comes of it; undefined: it does not say. */
export interface Step {
  readonly heading: string;
  readonly line: string;
  readonly answers: string | undefined;
}

/** What is to be typed, in the order of the document. What is answered belongs to the last line in front of it. */
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

/** Every command that the document names between backticks, in a sentence or a table: `plaza recovery plan`. */
export const mentionedIn = (document: string): readonly string[] =>
  [...document.replaceAll(/^```.*?^```$/gms, '').matchAll(/`(?:npx )?(plaza [a-z][^`]*)`/g)].map(
    ([, command = '']) => command,
  );

/** Whether a line is that command: all of its words and options, whatever else stands there. */
export function isRunBy(line: string, mentioned: string): boolean {
  const typed = line.split(/\s+/);
  const words = mentioned.split(/\s+/).filter((word) => /^(?:--)?[a-z][a-z-]*$/.test(word));
  return words.every((word) => typed.includes(word));
}

/**
 * Types a line of the runbook as it is written, but for where the program and the network are. Answers what it printed.
 * Rejects if it fails. `words`: what those with a `$` stand for.
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
 * The same, and what the document says that it prints, as far as it does. What only looks is typed again until it shows
 * that, as whoever waits for something does.
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

/** What was printed, if it is what the document says, else that. `<NAME>` is any word, `…` anything, in a line or of lines. */
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
