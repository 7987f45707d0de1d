/**
 * Runs spec files one by one, again and again, in random order, to find those that pass only sometimes:
 * `npm run test:shake -- [--times N] [--load] [--jobs N] [--seed N] [--config FILE] [FILE…]`. Without files: all of them.
 * `--load` runs two busy loops beside them. Prints a line for each run, then which tests failed, how often and where.
 * Exit code 0: no failure; 1: a failure; 2: wrong usage.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { failuresIn, shuffled, summaryOf } from './report.ts';
import type { Failure, JestResults } from './report.ts';

const BUSY_LOOPS = 2;
/** For a test process that goes on after its tests: something that it has started is left. */
const MAX_END_MS = 60_000;
const root = fileURLToPath(new URL('../..', import.meta.url));
const JEST = join(root, 'node_modules/jest/bin/jest.js');

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function usage(problem: string): never {
  process.stderr.write(`${problem}\nusage: npm run test:shake -- [--times N] [--load] [--jobs N] [FILE…]\n`);
  process.exit(2);
}

function options() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        times: { type: 'string', default: '1' },
        jobs: { type: 'string', default: '1' },
        seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
        load: { type: 'boolean', default: false },
        config: { type: 'string', default: join(root, 'jest.config.mjs') },
      },
    });
  } catch (error) {
    return usage((error as Error).message);
  }
}

function wholeNumber(name: string, text: string): number {
  return /^[1-9]\d{0,9}$/.test(text)
    ? Number(text)
    : usage(`--${name} takes a whole number above 0, not ${text}`);
}

/** The output of jest, and its exit code. */
async function jest(args: readonly string[]): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [JEST, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let ending: NodeJS.Timeout | undefined;
  const end = () => {
    child.kill('SIGKILL');
    // Processes that the tests have left may hold the other ends open.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Jest did not exit')) ending ??= setTimeout(end, MAX_END_MS);
    });
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(ending);
  return { code: code ?? 1, output };
}

async function specFiles(config: string): Promise<string[]> {
  const { code, output } = await jest(['--config', config, '--listTests', '--json']);
  if (code !== 0) throw new Error(`jest lists no tests:\n${output}`);
  return (JSON.parse(output.slice(output.indexOf('['))) as string[]).toSorted();
}

/** Runs one spec file once. A run without results counts as one failure, with its output. */
async function runFile(file: string, config: string): Promise<Failure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'plaza-shake-'));
  const results = join(directory, 'results.json');
  try {
    const args = ['--config', config, '-i', '--json', '--outputFile', results, '--runTestsByPath', file];
    const { code, output } = await jest(args);
    const failures = failuresIn(readResults(results), root);
    return code === 0 || failures.length > 0
      ? failures
      : [{ test: 'the run itself', where: '', message: output }];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function readResults(path: string): JestResults {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JestResults;
  } catch {
    return { testResults: [] };
  }
}

const { values, positionals } = options();
const [times, jobs, seed] = (['times', 'jobs', 'seed'] as const).map((name) =>
  wholeNumber(name, values[name]),
) as [number, number, number];
const files = positionals.length > 0 ? positionals : await specFiles(values.config);
const runs = shuffled(Array.from({ length: times }, () => files).flat(), seed);
const loops = Array.from(
  { length: values.load ? BUSY_LOOPS : 0 },
  () => new Worker('for (;;);', { eval: true }),
);
print(`${runs.length} runs of ${files.length} files, seed ${seed}${values.load ? ', under load' : ''}`);

const failed: { file: string; failures: Failure[] }[] = [];
let done = 0;
const work = async (): Promise<void> => {
  for (let file = runs.shift(); file !== undefined; file = runs.shift()) {
    const startedAt = performance.now();
    const failures = await runFile(file, values.config);
    const name = relative(root, file);
    done++;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    print(
      `${failures.length > 0 ? 'FAILED' : 'passed'} ${done}/${done + runs.length} ${name} (${seconds} s)`,
    );
    for (const { test, message } of failures) print(`  ${test}\n${message.replaceAll(/^/gm, '    ')}`);
    if (failures.length > 0) failed.push({ file: name, failures });
  }
};
await Promise.all(Array.from({ length: Math.max(jobs, 1) }, work));
await Promise.all(loops.map((loop) => loop.terminate()));
for (const line of summaryOf(failed)) print(line);
print(`${done} runs, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;
