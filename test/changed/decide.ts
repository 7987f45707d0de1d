/**
 * Prints the spec files that need not run, since nothing that they run has changed from the base (reach.ts), and why to its standard
 * error: `node test/changed/decide.ts [ROOT]`. The base is the commit in CI_BASE, without it the newest ancestor of HEAD on origin/main
 * that is not HEAD itself. In doubt it prints none.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Sources } from './reach.ts';

const root = process.argv[2] ?? fileURLToPath(new URL('../..', import.meta.url));
const say = (line: string): void => void process.stderr.write(`tests: ${line}\n`);

/** A change in one of them runs all. */
const RUNS_ALL =
  /^(?:\.ci\/|\.nvmrc$|\.swcrc$|bin\/|jest\.config\.mjs$|nest-cli\.json$|package-lock\.json$|(?:packages\/[\w-]+\/)?package\.json$|test\/changed\/|test\/conformance\/run\.reporter\.mjs$|test\/support\/|tsconfig\.json$)/;

/** Why all run. */
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
  const general = changed.find((file) => RUNS_ALL.test(file));
  if (changed.length === 0) throw new RunAll('nothing has changed');
  if (general !== undefined) throw new RunAll(`${general} has changed`);
  return withoutReachOf(changed);
}

/** Specs that run none of these files, read none, and show nothing of the published API. */
function withoutReachOf(changed: readonly string[]): string[] {
  const sources = new Sources(root);
  const reached = new Map(sources.specs.map((spec) => [spec, sources.reachedBy(spec)]));
  const all = new Set<string>();
  for (const modules of reached.values()) for (const each of modules) all.add(each);
  const touched = changed.flatMap((file) => (sources.isModule(file) ? [file] : sources.readersOf(file, all)));
  const leftOut = sources.specs.filter(
    (spec) => !sources.alwaysRuns(spec) && !touched.some((file) => reached.get(spec)?.has(file)),
  );
  say(
    `${leftOut.length} of ${sources.specs.length} spec files are left out: nothing that they run has changed`,
  );
  return leftOut;
}

try {
  process.stdout.write(
    decide()
      .map((spec) => `${spec}\n`)
      .join(''),
  );
} catch (error) {
  if (!(error instanceof RunAll)) throw error;
  say(`all run: ${error.message}`);
}
