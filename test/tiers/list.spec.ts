import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { readTags } from '../conformance/tags.ts';
import { decideBy, isIn, patternOf, runsAll, tierOf, tiers } from './list.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const specs = globSync(['{src,projections,packages,test}/**/*.spec.ts'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
});

/** Sources of the processes that helpers of tests start, by the file that starts them. */
const starts: readonly (readonly [RegExp, readonly string[]])[] = [
  [/support\/command\.ts$/, ['src/programs/plaza/main.ts']],
  [/support\/event-store\.ts$|^packages\/event-store\/testing\//, ['packages/event-store/src/main.ts']],
  [
    /support\/((lent-|shared-|separate-|lively-)?network|api-process)\.ts$|^chaos\//,
    ['{src,projections}/**/!(*.spec).ts', 'packages/event-store/src/main.ts'],
  ],
  [/^test\/analytics\/folding\.spec\.ts$/, ['test/analytics/support/killed-export.ts']],
];

const known = new Map<string, readonly string[]>();

/** Files of the repository that a file imports, without types. */
function importsOf(file: string): readonly string[] {
  const imports = known.get(file) ?? readImports(file);
  known.set(file, imports);
  return imports;
}

function readImports(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const imported = source.matchAll(
    /^(?:import|export)\s(?!type\s)[^;]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'|^import\s+'([^']+)'/gm,
  );
  return [...imported].flatMap((found) => {
    const name = found[1] ?? found[2] ?? found[3] ?? '';
    if (name.startsWith('@plaza/event-store'))
      return globSync(`packages/event-store/${name.endsWith('/testing') ? 'testing' : 'src'}/index.ts`, {
        cwd: root,
      });
    const path = normalize(join(dirname(file), name));
    return [path, path.replace(/\.js$/, '.ts')].filter(
      (each) => name.startsWith('.') && each.includes('.') && existsSync(join(root, each)),
    );
  });
}

/** Everything that these files import, and that the processes which they start are built from. */
function reachedFrom(files: readonly string[]): string[] {
  const reached = new Set(files);
  for (const file of reached) {
    const started = starts.filter(([starter]) => starter.test(file)).flatMap(([, patterns]) => patterns);
    for (const each of [...importsOf(file), ...globSync(started, { cwd: root })]) reached.add(each);
  }
  return [...reached];
}

const all = tiers.map(({ name }) => name);
const but = (...names: readonly string[]) => all.filter((name) => !names.includes(name));

describe('the tiers that need not run', () => {
  it.each([
    ['a document', 'docs/operators.md', all],
    ['a test of a route', 'test/api/posts.spec.ts', all],
    ['a route', 'src/doors/api/posts.ts', but('chaos', 'fuzz', 'models')],
    ['a command', 'src/commands/post/create-post.ts', but('chaos', 'fuzz', 'models')],
    ['a rule', 'src/domain/post/post.ts', ['event-store', 'containers']],
    ['the event store', 'packages/event-store/src/server.ts', []],
    ['a test of the event store', 'packages/event-store/test/read.spec.ts', []],
    ['a question of analysts', 'src/analytics/report/questions.ts', ['event-store', 'containers']],
    ['a test of the data set', 'test/analytics/query.spec.ts', but('analytics')],
    ['a compose file', 'docker-compose.yml', but('containers')],
    ['the checker of chaos', 'chaos/checker/views.ts', but('chaos')],
    ['a value of fuzz', 'test/fuzz/values.ts', but('fuzz')],
    ['a model', 'test/model/people.ts', but('models')],
  ])('are the others after a change of %s', (_what, file, leftOut) => {
    expect(decideBy(['README.md', file])).toMatchObject({ leftOut });
  });

  it.each(runsAll)('are none after a change of %s', (path) => {
    const file = path.endsWith('/') ? `${path}any` : path;
    expect(decideBy(['README.md', file])).toEqual({ leftOut: [], why: [`all run: ${file} has changed`] });
  });
});

describe.each(tiers)('the tier $name', ({ name, paths, except = [] }) => {
  const own = specs.filter((spec) => tierOf(spec)?.name === name);

  it('has specs, and names those that it leaves to the others', () => {
    expect(own).not.toEqual([]);
    expect(except.filter((spec) => !specs.includes(spec))).toEqual([]);
  });

  it('has a pattern of its specs alone', () => {
    const pattern = new RegExp(`^(?:${patternOf(name)})`);
    expect(specs.filter((spec) => pattern.test(spec))).toEqual(own);
  });

  it('runs after a change of its specs, and of all that these import and start', () => {
    expect(reachedFrom(own).filter((file) => !isIn([...paths, ...runsAll], file))).toEqual([]);
  });
});

it('no sentence of the published API is shown by a tier that may be left out', () => {
  const tags = readTags().filter(({ file }) => tierOf(file) !== undefined);
  expect(tags).toEqual([]);
});
