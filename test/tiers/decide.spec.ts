import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { environment } from '../support/command.js';
import { tiers } from './list.ts';

const script = fileURLToPath(new URL('decide.ts', import.meta.url));
const all = tiers.map(({ name }) => name);
const but = (...names: readonly string[]) => all.filter((name) => !names.includes(name));

let directory: string;
let root: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'plaza-tiers-'));
  root = join(directory, 'work');
  git(directory, 'init', '--quiet', '--bare', '--initial-branch=main', 'origin');
  git(directory, 'clone', '--quiet', 'origin', 'work');
  git(root, 'checkout', '--quiet', '-B', 'main');
  change('README.md');
  change('src/doors/api/old.ts');
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

/** A commit. Resolves to its id. */
function change(file: string): string {
  write(file, `${(changes += 1)}`);
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
    leftOut: stdout.split(/\s/).filter((name) => name !== ''),
    why: stderr
      .trim()
      .split('\n')
      .map((line) => line.replace(/^tiers: /, '')),
  };
}

describe('the tiers that need not run', () => {
  it('are named with the reason', () => {
    const base = git(root, 'rev-parse', 'HEAD');
    change('test/fuzz/values.ts');
    expect(decide()).toEqual({
      leftOut: but('fuzz'),
      why: [
        `files changed since ${base}: 1`,
        ...all.map((name) =>
          name === 'fuzz' ? 'fuzz runs: test/fuzz/values.ts has changed' : `${name} is left out`,
        ),
      ],
    });
  });

  it('are decided by all commits since origin/main', () => {
    change('test/model/people.ts');
    change('test/fuzz/values.ts');
    expect(decide()).toMatchObject({ leftOut: but('fuzz', 'models') });
  });

  it('are decided by the last commit alone where HEAD is on origin/main', () => {
    change('test/model/people.ts');
    change('test/fuzz/values.ts');
    git(root, 'push', '--quiet', 'origin', 'main');
    expect(decide()).toMatchObject({ leftOut: but('fuzz') });
  });

  it('are decided by what a branch changed, not by what main got since', () => {
    const before = git(root, 'rev-parse', 'HEAD');
    change('src/domain/post/post.ts');
    git(root, 'push', '--quiet', 'origin', 'main');
    git(root, 'checkout', '--quiet', '-b', 'topic', before);
    change('docs/operators.md');
    expect(decide()).toMatchObject({ leftOut: all });
  });

  it('are decided from CI_BASE, if it is given', () => {
    const base = change('test/model/people.ts');
    change('test/fuzz/values.ts');
    expect(decide({ base })).toMatchObject({ leftOut: but('fuzz') });
  });

  it('know a file that was moved away, one that is not committed, and names that git would quote', () => {
    change('docs/operators.md');
    git(root, 'mv', 'src/doors/api/old.ts', 'docs/old.md');
    expect(decide()).toMatchObject({ leftOut: but('chaos', 'fuzz', 'models') });
    write('test/analytics/façade "new".spec.ts', '');
    expect(decide()).toMatchObject({ leftOut: but('analytics', 'chaos', 'fuzz', 'models') });
  });
});

describe('all tiers run', () => {
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
