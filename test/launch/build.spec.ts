import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { root } from '../support/command.js';

let copy: string;

/** The two steps of the build write down their names. */
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'plaza-build-'));
  write('package-lock.json', '{}');
  write('src/programs/api/main.ts', 'export {};');
  write('node_modules/@nestjs/cli/bin/nest.js', NEST);
  write('docs/applications.md', 'the guide');
  write('bin/bundle.mjs', BUNDLE);
  cpSync(join(root, 'bin/build.mjs'), join(copy, 'bin/build.mjs'));
});

afterEach(() => rmSync(copy, { recursive: true }));

const NEST = `const { appendFileSync, mkdirSync, writeFileSync } = require('fs');
mkdirSync('dist/src/programs', { recursive: true });
writeFileSync('dist/src/programs/write-guide.js', '');
appendFileSync('steps', 'compiled ');`;

const BUNDLE = `import { appendFileSync, mkdirSync } from 'node:fs';
mkdirSync('dist/bundle', { recursive: true });
appendFileSync('steps', 'bundled ');`;

function write(file: string, content: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), content);
}

/** Runs the build, and returns its exit code and the steps that it took. */
function build(): readonly [code: number | null, steps: string] {
  const steps = join(copy, 'steps');
  rmSync(steps, { force: true });
  const { status } = spawnSync(process.execPath, [join(copy, 'bin/build.mjs')], { stdio: 'ignore' });
  return [status, existsSync(steps) ? readFileSync(steps, 'utf8') : ''];
}

const whole = [0, 'compiled bundled '];
const nothing = [0, ''];

describe('the build', () => {
  it('is made once from the same sources', () => {
    expect(build()).toEqual(whole);
    expect(build()).toEqual(nothing);
    write('src/main.spec.ts', 'a test');
    expect(build()).toEqual(nothing);
  });

  it.each([
    'src/programs/api/main.ts',
    'src/new.ts',
    'package-lock.json',
    'bin/bundle.mjs',
    'docs/applications.md',
  ])('is made again after a change of %s', (file) => {
    build();
    write(file, file === 'bin/bundle.mjs' ? `${BUNDLE}\n` : 'changed');
    expect(build()).toEqual(whole);
  });

  it.each([
    ['npm/10.8.2 node/v20.19.2 linux x64 workspaces/false', /^Node v20\.19\.2 is too old for Plaza, .+\.\n$/],
    ['npm/11.6.0 node/v24.15.0 linux x64 workspaces/false', /^$/],
    [undefined, /^$/],
  ])('says in one sentence if npm runs on a Node that is too old: %s', (agent, expected) => {
    build();
    const { stdout } = spawnSync(process.execPath, [join(copy, 'bin/build.mjs')], {
      env: { ...process.env, npm_config_user_agent: agent },
      encoding: 'utf8',
    });
    expect(stdout).toMatch(expected);
  });

  it('is made again where it is missing, and after a failure', () => {
    build();
    rmSync(join(copy, 'dist'), { recursive: true });
    expect(build()).toEqual(whole);
    write('bin/bundle.mjs', 'process.exit(3);');
    expect(build()).toEqual([3, 'compiled ']);
    write('bin/bundle.mjs', BUNDLE);
    expect(build()).toEqual(whole);
  });
});
