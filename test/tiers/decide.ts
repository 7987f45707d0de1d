/**
 * Prints the names of the tiers (list.ts) that need not run, since nothing of theirs has changed from the base, and why to its standard
 * error: `node test/tiers/decide.ts [ROOT]`. The base is the commit in CI_BASE, without it the newest ancestor of HEAD on origin/main that
 * is not HEAD itself. In doubt it prints none.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { decideBy } from './list.ts';

const root = process.argv[2] ?? fileURLToPath(new URL('../..', import.meta.url));
const say = (line: string): void => void process.stderr.write(`tiers: ${line}\n`);

/** Why all tiers run. */
class RunAll extends Error {}

/** The output of git; undefined: it failed. */
function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

const commit = (name: string): string | undefined =>
  git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);

function baseOf(head: string): string {
  const named = process.env['CI_BASE'] ?? '';
  if (named !== '') {
    const base = commit(named);
    if (base === undefined) throw new RunAll(`CI_BASE names no commit of this repository: ${named}`);
    return base;
  }
  const shared = git('merge-base', 'origin/main', head);
  // All ancestors of a commit on origin/main are on it, too.
  const base = shared === head ? commit(`${head}^`) : shared;
  if (base === undefined)
    throw new RunAll('there is no base: neither CI_BASE nor an ancestor on origin/main');
  return base;
}

/** Files that commits and the work tree have changed. */
function changedSince(base: string): string[] {
  const outputs = [
    git('diff', '--name-only', '--no-renames', '-z', base),
    git('ls-files', '--others', '--exclude-standard', '-z'),
  ];
  if (outputs.includes(undefined)) throw new RunAll('git does not name what has changed');
  return outputs.flatMap((output) => output?.split('\0') ?? []).filter((file) => file !== '');
}

function decide(): readonly string[] {
  const head = commit('HEAD');
  if (head === undefined) throw new RunAll('this is no repository of git');
  if (git('rev-parse', '--is-shallow-repository') !== 'false') throw new RunAll('the clone is shallow');
  const base = baseOf(head);
  const changed = changedSince(base);
  say(`files changed since ${base}: ${changed.length}`);
  const { leftOut, why } = decideBy(changed);
  why.forEach(say);
  return leftOut;
}

try {
  process.stdout.write(`${decide().join(' ')}\n`);
} catch (error) {
  if (!(error instanceof RunAll)) throw error;
  say(`all run: ${error.message}`);
}
