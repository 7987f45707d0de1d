import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ALONE_WITH_CODES, Sources } from './reach.ts';

/** Programs that people start, and what Jest itself runs. */
const STARTED_BY_HAND = [
  'test/conformance/main.ts',
  'test/fixtures/make.ts',
  'test/fuzz/main.ts',
  'test/support/closing-lines.reporter.mjs',
];

describe('what a spec of this repository runs', () => {
  const repository = fileURLToPath(new URL('../..', import.meta.url));
  const sources = new Sources(repository);

  it.each([
    ['a network', 'test/api/kill.spec.ts', 'src/doors/api/resources/posts/posts.controller.ts', true],
    [
      'a lent network',
      'test/recovery/as-of.spec.ts',
      'src/doors/api/resources/posts/posts.controller.ts',
      true,
    ],
    ['an API process', 'test/api/limits.spec.ts', 'src/doors/api/resources/posts/posts.controller.ts', true],
    ['the API in its own process', 'test/api/cases.spec.ts', 'src/operator/cases/case.acts.ts', true],
    ['chaos', 'test/chaos/chaos.spec.ts', 'projections/timeline/timeline.sql.ts', true],
    ['the doors of sign-in alone', 'test/auth/refresh.spec.ts', 'src/doors/auth/protocol.routes.ts', true],
    [
      'the doors of sign-in alone',
      'test/auth/refresh.spec.ts',
      'src/doors/api/resources/posts/posts.controller.ts',
      false,
    ],
    [
      'a network that is asked for it',
      'test/api/timeline.spec.ts',
      'src/doors/api/resources/timeline.controller.ts',
      true,
    ],
    [
      'a network that is not asked for it',
      'test/api/cases.spec.ts',
      'src/doors/api/resources/timeline.controller.ts',
      false,
    ],
    [
      'a network that is asked for paths that it puts together',
      'test/fixtures/earlier-versions.spec.ts',
      'src/doors/api/resources/timeline.controller.ts',
      true,
    ],
    [
      'a list of the files of a folder',
      'src/operator/entrances/alerts.unit.spec.ts',
      'src/commands/post/create-post.ts',
      true,
    ],
    [
      'a program in support/',
      'test/recovery/crash-matrix.spec.ts',
      'test/recovery/support/crash-process.ts',
      true,
    ],
    ['a worker', 'test/projections/worker-process.spec.ts', 'src/programs/worker/main.ts', true],
    ['a worker', 'test/projections/worker-process.spec.ts', 'src/doors/api/server.ts', false],
    ['the command line', 'test/analytics/query.spec.ts', 'src/analytics/report/questions.ts', true],
    ['the command line', 'test/analytics/query.spec.ts', 'src/doors/api/server.ts', false],
    [
      'a program of its own',
      'test/analytics/folding.spec.ts',
      'test/analytics/support/killed-export.ts',
      true,
    ],
    [
      'an event store',
      'packages/event-store/test/embedded-process.spec.ts',
      'packages/event-store/src/main.ts',
      true,
    ],
    [
      'an event store',
      'packages/event-store/test/embedded-process.spec.ts',
      'src/base/config/config.ts',
      false,
    ],
  ])('with %s: %s and %s: %s', (_what, spec, file, isReached) => {
    expect(sources.specs).toContain(spec);
    expect(sources.isModule(file)).toBe(true);
    expect(sources.reachedBy(spec).has(file)).toBe(isReached);
  });

  it('is every module of tests and of examples, but for a few programs', () => {
    // This file names modules, and runs none of them.
    const others = sources.specs.filter((spec) => spec !== 'test/changed/reach.spec.ts');
    const reached = others.map((spec) => sources.reachedBy(spec));
    const modules = globSync('{test,examples}/**/!(*.spec).{ts,mjs}', { cwd: repository });
    expect(
      modules.filter((file) => sources.isModule(file) && !reached.some((each) => each.has(file))).toSorted(),
    ).toEqual(STARTED_BY_HAND);
  });

  it('is named by files that are there', () => {
    expect(sources.specs).toEqual(expect.arrayContaining([...ALONE_WITH_CODES]));
  });

  it('is shown in every run where it shows something of the published API', () => {
    expect(sources.alwaysRuns('test/api/posts.spec.ts')).toBe(true);
    expect(sources.alwaysRuns('test/api/faults.spec.ts')).toBe(true);
    expect(sources.alwaysRuns('test/api/kill.spec.ts')).toBe(false);
  });
});

describe('the modules that a spec reaches', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'plaza-reach-'));
    for (const file of ['src/a.ts', 'src/b.ts', 'src/programs/worker/main.ts', 'src/programs/plaza/main.ts'])
      write(file, 'export const text = 1;');
  });

  afterEach(() => rmSync(root, { recursive: true }));

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }

  function reached(text: string): string[] {
    write('test/x.spec.ts', text);
    return [...new Sources(root).reachedBy('test/x.spec.ts')].slice(1).toSorted();
  }

  it.each([
    ['imports', "import { text } from '../src/a.js';"],
    ['passes on', "export * from '../src/a.js';"],
    ['imports when it needs it', "const { text } = await import('../src/a.js');"],
    ['names for a process', "new URL('../src/a.ts', import.meta.url);"],
    ['names from the root', "join(root, 'src/a.ts');"],
  ])('are those that it %s', (_how, text) => {
    expect(reached(text)).toEqual(['src/a.ts']);
  });

  it('are those that others import, and no types', () => {
    write('test/helper.ts', "import type { B } from '../src/b.js';\nimport { text } from '../src/a.js';");
    expect(reached("import './helper.js';")).toEqual(['src/a.ts', 'test/helper.ts']);
  });

  it.each([
    ['a folder', "readdirSync(join(root, 'src'), { recursive: true })"],
    ['a folder by its address', "readdir(new URL('src', root))"],
    ['its own folder', 'readdirSync(import.meta.dirname)'],
  ])('are all in the folder for one that lists %s', (_what, text) => {
    write('src/x.unit.spec.ts', text);
    const modules = new Sources(root).reachedBy('src/x.unit.spec.ts');
    expect([...modules].toSorted()).toEqual([
      'src/a.ts',
      'src/b.ts',
      'src/programs/plaza/main.ts',
      'src/programs/worker/main.ts',
      'src/x.unit.spec.ts',
    ]);
  });

  it('are programs in the folder `support` beside it that it names', () => {
    write('test/support/killed.ts', "import { text } from '../../src/a.js';");
    expect(reached("killWhenAllHeld('killed.ts');")).toEqual(['src/a.ts', 'test/support/killed.ts']);
  });

  it('are a whole network for one that starts a process in a way that is not known', () => {
    expect(reached("import { spawn } from 'node:child_process';")).toEqual(
      expect.arrayContaining(['src/a.ts', 'src/programs/worker/main.ts']),
    );
  });

  it('are those of the programs that it names', () => {
    expect(reached("spawn(builtProcess('projector'))")).toEqual(['src/programs/worker/main.ts']);
    expect(reached("spawn(builtProcess('api'))")).toContain('src/a.ts');
    expect(reached("spawnPlaza(['start'])")).toContain('src/a.ts');
  });

  describe('of a network with routes', () => {
    beforeEach(() => {
      for (const [name, path] of [
        ['posts', "'api/posts'"],
        ['landing', ''],
      ])
        write(
          `src/doors/api/resources/${name}.controller.ts`,
          `import { text } from './${name}.resource.js';\n@Controller(${path})`,
        );
      write('src/doors/api/resources/posts.resource.ts', "import { text } from '../../../b.js';");
      write('src/doors/api/resources/landing.resource.ts', 'export const text = 1;');
      write('src/doors/api/http.module.ts', "import './resources/posts.controller.js';");
      write('src/programs/demo/demo.ts', "post('/api/posts');");
    });

    const POSTS = 'src/doors/api/resources/posts.controller.ts';

    it.each([
      ['that asks for it', 'get(`${url}/api/posts/1`)', true],
      ['that asks for another', "get('/api/actors')", false],
      ['that reads the document with all of them', "readFileSync('openapi.json')", true],
      ['that puts paths together', 'names.map((each) => `/api/${each}`)', true],
      ['that runs the demonstration', "spawnPlaza(['demo'])", true],
      ['that runs its module alone', `import { PostsController } from '../${POSTS}';`, true],
    ])('have the code of a route for one %s: %s', (_who, text, isAsked) => {
      const modules = reached(`import '../src/doors/api/http.module.js';\n${text}`);
      expect(modules).toContain('src/doors/api/http.module.ts');
      expect(modules.includes(POSTS)).toBe(isAsked);
      expect(modules.includes('src/doors/api/resources/posts.resource.ts')).toBe(isAsked);
      expect(modules).toContain('src/doors/api/resources/landing.controller.ts');
    });

    it('have it where a helper asks for it, but not where the house names it', () => {
      write('test/helper.ts', "post('/api/posts');");
      write('src/a.ts', "export const path = '/api/posts';");
      expect(reached("import './helper.js';")).toContain(POSTS);
      expect(reached("import '../src/a.js';")).not.toContain(POSTS);
    });
  });

  it.each([
    ['the file', "read('../docs/guide.md')", 'docs/guide.md', true],
    ['its folder', "readdir(join(root, 'docs'))", 'docs/guide.md', true],
    ['its folder in a template', 'read(`../docs/${name}`)', 'docs/guide.md', true],
    ['its ending', "glob('*.md')", 'docs/guide.md', true],
    ['another file', "read('../docs/guides.md')", 'docs/guide.md', false],
    ['a file whose name ends with its name', "read('a-guide.md')", 'docs/guide.md', false],
    ['a folder of types', "read('client')", 'client/schema.d.ts', false],
    ['types', "read('client/schema.d.ts')", 'client/schema.d.ts', true],
  ])('read what is no module where they name %s', (_what, text, file, reads) => {
    write('test/x.spec.ts', text);
    expect(new Sources(root).readersOf(file, ['test/x.spec.ts'])).toEqual(reads ? ['test/x.spec.ts'] : []);
  });
});
