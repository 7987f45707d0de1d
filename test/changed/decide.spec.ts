import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { environment } from '../support/command.js';

const script = fileURLToPath(new URL('decide.ts', import.meta.url));
/** Spec files of the repository that each case makes, and what they import. */
const modules = {
  'src/a.ts': 'export const a = 1;',
  'src/b.ts': 'export const b = 1;',
  'src/a.unit.spec.ts': "import { a } from './a.js';",
  'test/b.spec.ts': "import { b } from '../src/b.js';",
  'test/documents.spec.ts': "read('../docs/operators.md');",
  'test/shown.spec.ts': "it('shows a sentence [posts-scope]', () => {});",
};
const all = ['src/a.unit.spec.ts', 'test/b.spec.ts', 'test/documents.spec.ts'];
const but = (...names: readonly string[]) => all.filter((name) => !names.includes(name));

let directory: string;
let root: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'plaza-changed-'));
  root = join(directory, 'work');
  git(directory, 'init', '--quiet', '--bare', '--initial-branch=main', 'origin');
  git(directory, 'clone', '--quiet', 'origin', 'work');
  git(root, 'checkout', '--quiet', '-B', 'main');
  change('README.md');
  for (const [file, text] of Object.entries(modules)) write(file, text);
  change('docs/operators.md');
  git(root, 'push', '--quiet', 'origin', 'main');
});

afterEach(() => rmSync(directory, { recursive: true }));

function git(cwd: string, ...args: readonly string[]): string {
  const settings = ['user.name=A', 'user.email=a@b.c', 'commit.gpgsign=false', 'protocol.file.allow=always'];
  const options = settings.flatMap((each) => ['-c', each]);
  return execFileSync('git', [...options, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

let changes = 0;

/** A commit that adds to a file. Resolves to its id. */
function change(file: string): string {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  appendFileSync(join(root, file), `\n// ${(changes += 1)}`);
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message', file);
  return git(root, 'rev-parse', 'HEAD');
}

function decide({ base, at = root }: { readonly base?: string; readonly at?: string } = {}) {
  const { CI_BASE: _ofThisRun, ...env } = environment();
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, at], {
    env: { ...env, ...(base === undefined ? {} : { CI_BASE: base }) },
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  return {
    leftOut: stdout.split('\n').filter((name) => name !== ''),
    why: stderr
      .trim()
      .split('\n')
      .map((line) => line.replace(/^tests: /, '')),
  };
}

describe('the spec files that need not run', () => {
  it('are named with the reason', () => {
    const base = git(root, 'rev-parse', 'HEAD');
    change('src/a.ts');
    expect(decide()).toEqual({
      leftOut: but('src/a.unit.spec.ts'),
      why: [
        `files changed since ${base}: 1`,
        '2 of 4 spec files are left out: nothing that they run has changed',
      ],
    });
  });

  it('are not those that have changed themselves, or that read what has', () => {
    change('test/b.spec.ts');
    change('docs/operators.md');
    expect(decide()).toMatchObject({ leftOut: but('test/b.spec.ts', 'test/documents.spec.ts') });
  });

  it('are decided by all commits since origin/main', () => {
    change('src/a.ts');
    change('src/b.ts');
    expect(decide()).toMatchObject({ leftOut: but('src/a.unit.spec.ts', 'test/b.spec.ts') });
  });

  it('are decided by the last commit alone where HEAD is on origin/main', () => {
    change('src/a.ts');
    change('src/b.ts');
    git(root, 'push', '--quiet', 'origin', 'main');
    expect(decide()).toMatchObject({ leftOut: but('test/b.spec.ts') });
  });

  it('are decided by what a branch changed, not by what main got since', () => {
    const before = git(root, 'rev-parse', 'HEAD');
    change('src/a.ts');
    git(root, 'push', '--quiet', 'origin', 'main');
    git(root, 'checkout', '--quiet', '-b', 'topic', before);
    change('README.md');
    expect(decide()).toMatchObject({ leftOut: all });
  });

  it('are decided from CI_BASE, if it is given', () => {
    const base = change('src/a.ts');
    change('src/b.ts');
    expect(decide({ base })).toMatchObject({ leftOut: but('test/b.spec.ts') });
  });

  it('know a file that was moved away, one that is not committed, and names that git would quote', () => {
    git(root, 'mv', 'docs/operators.md', 'docs/old.md');
    change('README.md');
    expect(decide()).toMatchObject({ leftOut: but('test/documents.spec.ts') });
    write('src/façade "new".unit.spec.ts', "import { b } from './b.js';");
    write('src/b.ts', 'export const b = 2;');
    expect(decide()).toMatchObject({ leftOut: but('test/documents.spec.ts', 'test/b.spec.ts') });
  });
});

describe('all run', () => {
  it('in a shallow clone', () => {
    change('docs/operators.md');
    change('docs/releases.md');
    git(root, 'push', '--quiet', 'origin', 'main');
    git(directory, 'clone', '--quiet', '--depth=1', pathToFileURL(join(directory, 'origin')).href, 'shallow');
    expect(decide({ at: join(directory, 'shallow') })).toEqual({
      leftOut: [],
      why: ['all run: the clone is shallow'],
    });
  });

  it('without origin/main', () => {
    change('docs/operators.md');
    git(root, 'remote', 'remove', 'origin');
    expect(decide()).toEqual({
      leftOut: [],
      why: ['all run: there is no base: neither CI_BASE nor an ancestor on origin/main'],
    });
  });

  it('at the first commit of all', () => {
    git(root, 'checkout', '--quiet', '--detach', 'HEAD~1');
    expect(decide()).toEqual({
      leftOut: [],
      why: ['all run: there is no base: neither CI_BASE nor an ancestor on origin/main'],
    });
  });

  it('if CI_BASE names no commit', () => {
    change('docs/operators.md');
    expect(decide({ base: '0'.repeat(40) })).toEqual({
      leftOut: [],
      why: [`all run: CI_BASE names no commit of this repository: ${'0'.repeat(40)}`],
    });
  });

  it('if the lock file has changed', () => {
    const base = git(root, 'rev-parse', 'HEAD');
    change('package-lock.json');
    expect(decide()).toEqual({
      leftOut: [],
      why: [`files changed since ${base}: 1`, 'all run: package-lock.json has changed'],
    });
  });

  it('if nothing has changed', () => {
    expect(decide({ base: 'HEAD' })).toMatchObject({
      leftOut: [],
      why: [expect.anything(), 'all run: nothing has changed'],
    });
  });

  it('in a copy without its history', () => {
    mkdirSync(join(directory, 'copy'));
    expect(decide({ at: join(directory, 'copy') })).toEqual({
      leftOut: [],
      why: ['all run: this is no repository of git'],
    });
  });
});
