import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

/** The script, with an `npm` that does what each of its commands is to do. */
function run(commands: { ci?: string; check?: string; test: string }) {
  const { ci = ':', check = ':', test } = commands;
  const npm = join(directory, 'npm');
  writeFileSync(
    npm,
    `#!/bin/sh\ncase "$*" in ci) ${ci};; 'run check') ${check};; test) ${test};; *) exit 99;; esac\n`,
  );
  chmodSync(npm, 0o755);
  const env = { ...process.env, PATH: `${directory}:${process.env['PATH']}`, TMPDIR: directory };
  const { status, stdout } = spawnSync(join(directory, '.ci', 'run'), { env, encoding: 'utf8' });
  return { status, lastLine: stdout.trimEnd().split('\n').at(-1) };
}

describe('the closing line of a run on a bare machine', () => {
  it.each([
    ['all is well', { test: 'echo "7 passed, 0 failed"' }, 0, '7 passed, 0 failed'],
    [
      'a test failed, whatever npm says then',
      { test: 'echo "6 passed, 1 failed"; echo "npm error"; exit 1' },
      1,
      '6 passed, 1 failed',
    ],
    ['the install failed', { ci: 'exit 3', test: 'echo "7 passed, 0 failed"' }, 3, '0 passed, 1 failed'],
    ['the check failed', { check: 'exit 2', test: 'echo "7 passed, 0 failed"' }, 2, '0 passed, 1 failed'],
    ['the build failed', { test: 'echo "a fault"; exit 1' }, 1, '0 passed, 1 failed'],
    ['the tests ended without a word', { test: ':' }, 1, '0 passed, 1 failed'],
  ])('says so when %s', (_what, commands, status, lastLine) => {
    expect(run(commands)).toEqual({ status, lastLine });
  });
});
