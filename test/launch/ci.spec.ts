import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../.ci/run', import.meta.url));
let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'plaza-ci-'));
  mkdirSync(join(directory, '.ci'));
  cpSync(script, join(directory, '.ci', 'run'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

interface Machine {
  /** Shell scripts in place of npm's commands. */
  readonly ci?: string;
  readonly check?: string;
  readonly test: string;
  readonly conformance?: string;
  /** Further programs by name, with their shell scripts. */
  readonly programs?: Readonly<Record<string, string>>;
  readonly hasPython?: boolean;
  /** The variable CHROMIUM. */
  readonly chromium?: string;
}

const browser = { 'chromium-headless-shell': ':' };

/** Runs .ci/run on a machine with these programs and the most usual ones alone. */
function run({
  ci = ':',
  check = ':',
  test,
  conformance = ':',
  programs = browser,
  hasPython = true,
  chromium = '',
}: Machine) {
  for (const name of ['bash', 'dirname', 'env', 'grep', 'mktemp', 'rm', 'sh', 'tail', 'tee'])
    symlinkSync(
      execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(),
      inside(name),
    );
  program(
    'npm',
    `case "$*" in ci) ${ci};; 'run check') ${check};; 'run test:changed') ${test};; 'run conformance -- --check') ${conformance};;
    *) exit 99;; esac`,
  );
  if (hasPython) program('python3', ':');
  for (const [name, does] of Object.entries(programs)) program(name, does);
  const env = { PATH: directory, TMPDIR: directory, CHROMIUM: chromium };
  const { status, stdout } = spawnSync(join(directory, '.ci', 'run'), { env, encoding: 'utf8' });
  const lines = stdout.trimEnd().split('\n');
  return { status, lines, lastLine: lines.at(-1) };
}

const inside = (name: string) => join(directory, name);

function program(name: string, does: string): void {
  writeFileSync(inside(name), `#!/bin/sh\n${does}\n`);
  chmodSync(inside(name), 0o755);
}

describe('the closing line of a run on a bare machine', () => {
  it.each([
    ['everything passes', { test: 'echo "7 passed, 0 failed"' }, 0, '7 passed, 0 failed'],
    [
      'a test fails, despite later output of npm',
      { test: 'echo "6 passed, 1 failed"; echo "npm error"; exit 1' },
      1,
      '6 passed, 1 failed',
    ],
    ['the install fails', { ci: 'exit 3', test: 'echo "7 passed, 0 failed"' }, 3, '0 passed, 1 failed'],
    ['the check fails', { check: 'exit 2', test: 'echo "7 passed, 0 failed"' }, 2, '0 passed, 1 failed'],
    ['the build fails', { test: 'echo "a fault"; exit 1' }, 1, '0 passed, 1 failed'],
    ['the tests print nothing', { test: ':' }, 1, '0 passed, 1 failed'],
    [
      'no test shows a sentence of the published API',
      { test: 'echo "7 passed, 0 failed"', conformance: 'echo "no test"; exit 1' },
      1,
      '7 passed, 1 failed',
    ],
  ])('reports the result when %s', (_what, commands, status, lastLine) => {
    expect(run(commands)).toMatchObject({ status, lastLine });
  });
});

describe('the browser of a run on a bare machine', () => {
  const test = 'echo "7 passed, 0 failed"';
  const aptCalls = () => (existsSync(inside('asked')) ? readFileSync(inside('asked'), 'utf8') : '');
  const apt = 'echo "$*" >> "${0%/*}/asked"';
  /** `apt-get` where the system has no package of the browser without windows. */
  const lacking = `${apt}; case "$*" in *headless-shell*) exit 100;; esac`;

  it('is installed by root if missing', () => {
    const { lastLine, lines } = run({ test, programs: { id: 'echo 0', 'apt-get': apt } });
    expect(aptCalls()).toMatch(/^.* update\n.* install .* chromium-headless-shell fonts-dejavu-core\n$/);
    expect({ lastLine, lines }).toEqual({ lastLine: '7 passed, 0 failed', lines: Array(2).fill(lastLine) });
  });

  it('is installed with sudo if possible', () => {
    const sudo = 'shift; SUDO=yes exec "$@"';
    run({ test, programs: { id: 'echo 1000', sudo, 'apt-get': `[ "$SUDO" = yes ] && ${apt}` } });
    expect(aptCalls()).toMatch(/^.* update\n.* install .* chromium-headless-shell fonts-dejavu-core\n$/);
  });

  it('is the one without windows, which is not installed again', () => {
    run({ test, programs: { ...browser, id: 'echo 0', 'apt-get': apt } });
    expect(aptCalls()).toBe('');
  });

  it.each(['chromium', 'chromium-browser', 'google-chrome'])(
    'is the installed %s where the system lacks the one without windows',
    (name) => {
      const { lines } = run({ test, programs: { [name]: ':', id: 'echo 0', 'apt-get': lacking } });
      expect(aptCalls()).toMatch(/^.* update\n.* install .* chromium-headless-shell fonts-dejavu-core\n$/);
      expect(lines).toHaveLength(2);
    },
  );

  it('is the installed one where nothing can be installed', () => {
    expect(run({ test, programs: { chromium: ':', id: 'echo 0' } }).lines).toHaveLength(2);
  });

  it('is the one that CHROMIUM names', () => {
    run({ test, programs: { id: 'echo 0', 'apt-get': apt, 'my-browser': ':' }, chromium: 'my-browser' });
    expect(aptCalls()).toBe('');
  });

  it('is the whole one where the system has no other', () => {
    run({ test, programs: { id: 'echo 0', 'apt-get': lacking } });
    expect(aptCalls()).toMatch(
      /^.* update\n.* install .* chromium-headless-shell .*\n.* install .* chromium fonts-dejavu-core\n$/,
    );
  });

  it('is asked for once, with Python, where the network is away', () => {
    const programs = { id: 'echo 0', 'apt-get': `${apt}; exit 100` };
    expect(run({ test, programs, hasPython: false }).status).toBe(0);
    expect(aptCalls()).toMatch(/^.* update\n$/);
  });

  it.each([
    ['there is no apt-get', { id: 'echo 0' }],
    ['sudo is refused', { id: 'echo 1000', sudo: 'exit 1', 'apt-get': apt }],
    ['the installation fails', { id: 'echo 0', 'apt-get': 'echo "no network" >&2; exit 100' }],
  ])('is skipped with one line where %s', (_why, programs) => {
    const { status, lines } = run({ test, programs });
    expect({ status, lines: lines.length }).toEqual({ status: 0, lines: 3 });
    expect(lines[0]).toContain('Chromium cannot be installed here');
  });
});

describe('the Python of a run on a bare machine', () => {
  const test = 'echo "7 passed, 0 failed"';

  it('is installed if missing', () => {
    const apt = 'echo "$*" >> "${0%/*}/asked"';
    const programs = { ...browser, id: 'echo 0', 'apt-get': apt };
    const { lines } = run({ test, programs, hasPython: false });
    expect(readFileSync(inside('asked'), 'utf8')).toMatch(/^.* update\n.* install .* python3\n$/);
    expect(lines).toHaveLength(2);
  });

  it('is skipped with one line where it cannot be installed', () => {
    const { status, lines } = run({
      test,
      programs: { ...browser, id: 'echo 0' },
      hasPython: false,
    });
    expect({ status, lines: lines.length }).toEqual({ status: 0, lines: 3 });
    expect(lines[0]).toBe('Python cannot be installed here: the tests of docs/verify_log.py are not run');
  });
});
