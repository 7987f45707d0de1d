/** What each spec file runs: the modules that it imports and those of the processes that it starts, found by reading the sources. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, normalize } from 'node:path';

/** All that a network is built from. */
const NETWORK = ['{src,projections}/**/!(*.spec).ts', 'packages/event-store/src/**/!(*.spec).ts'];

/** Sources of the processes that a module starts, by what stands in it. */
const STARTS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/builtProcess\((?!'projector'|'plaza'|'event-store'|name:)|(?:\[|plaza,)\s*'(?:start|demo)'/, NETWORK],
  [/builtProcess\('projector'\)/, ['src/programs/worker/main.ts']],
  [/builtProcess = /, ['src/programs/plaza/main.ts']],
];

/**
 * Modules that start processes of others, or of files that they name. Any other module of tests that starts processes counts as starting a
 * whole network, unless it has their files from test/support/command.ts.
 */
const STARTS_NONE =
  /^(?:src|projections|packages\/[\w-]+\/(?:src|testing))\/|^test\/(?:support\/(?:certificate|postgres|python|templates)|auth\/support\/auth-network|analytics\/support\/export-bench)\.ts$/;

/** The code of a route, and what its answers are made of. */
const ROUTE = /^src\/doors\/api\/resources\//;
/** Tests that ask for every route: they read the document with all of them, or put the path of one together. */
const ASKS_ALL = /openapi\.json|documentOf\(|\/api\/\$\{/;
/** They read it to hold each answer to it. */
const HOLDS_ANSWERS = /^test\/support\/(?:api|api-process|conformance)\.ts$/;

/** Sentences of the published API in the titles of tests (test/conformance/tags.ts). */
const HAS_TAGS = /\[[\w-]+(?:, [\w-]+)*\]['"`]/;

/** Specs without tags that alone are answered with some error code, which `npm run conformance -- --check` asks for. */
export const ALONE_WITH_CODES: ReadonlySet<string> = new Set([
  'test/api/appeals.spec.ts',
  'test/api/faults.spec.ts',
  'test/auth/account-refusals.spec.ts',
  'test/auth/operator-lifecycle.spec.ts',
  'test/recovery/recovery-command.spec.ts',
  'test/recovery/witness-faults.spec.ts',
]);

/** A call that lists a folder of sources, with its arguments. */
const LISTS = /\breaddir(?:Sync)?\((?:[^();]|\([^();]*\))*\)/g;

/** A pattern of this text alone. */
export const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

const isModule = (file: string): boolean => /\.(?:ts|mjs|js)$/.test(file) && !file.endsWith('.d.ts');

const isOfHouse = (file: string): boolean => /^(?:src|projections|packages)\//.test(file);

export class Sources {
  readonly #texts = new Map<string, string>();
  readonly #next = new Map<string, readonly string[]>();
  #controllers: readonly (readonly [path: string, controller: string])[] | undefined;
  readonly specs: readonly string[];

  readonly root: string;

  constructor(root: string) {
    this.root = root;
    this.specs = this.#find(['{src,projections,packages,test}/**/*.spec.ts']).toSorted();
  }

  /** True: every run needs this spec to show the published API complete. */
  alwaysRuns(spec: string): boolean {
    return ALONE_WITH_CODES.has(spec) || HAS_TAGS.test(this.#text(spec));
  }

  /** The modules that a spec runs, itself included. A route that nobody asks for does not run. */
  reachedBy(spec: string): ReadonlySet<string> {
    const reached = new Set([spec]);
    for (const file of reached) {
      for (const next of this.#nextOf(file)) reached.add(next);
    }
    return reached;
  }

  /**
   * Which of these modules may read a file that is no module, or is gone: their sources name it, a folder that it is in, or a pattern with
   * its ending. Declarations of types are read by name alone.
   */
  readersOf(file: string, modules: Iterable<string>): string[] {
    const isOnlyTypes = file.endsWith('.d.ts');
    const folders = isOnlyTypes ? [] : file.split('/').slice(0, -1);
    const names = [basename(file), ...folders].map((name) => escaped(name)).join('|');
    const pattern = isOnlyTypes ? '' : String.raw`|\*${escaped(extname(file))}['"\`]`;
    const named = new RegExp(String.raw`(?<![\w.-])(?:${names})/?(?:['"\`]|/?\$\{|/\*)${pattern}`);
    return [...modules].filter((each) => named.test(this.#text(each)));
  }

  isModule(file: string): boolean {
    return isModule(file) && existsSync(join(this.root, file));
  }

  #find(patterns: readonly string[]): string[] {
    return globSync(patterns, { cwd: this.root, exclude: ['**/node_modules/**', '**/dist/**'] });
  }

  #text(file: string): string {
    const text = this.#texts.get(file) ?? readFileSync(join(this.root, file), 'utf8');
    this.#texts.set(file, text);
    return text;
  }

  #nextOf(file: string): readonly string[] {
    const next = this.#next.get(file) ?? [
      // The house names all its routes, those that nobody asks for, too.
      ...this.#importsOf(file).filter((each) => !ROUTE.test(each) || ROUTE.test(file) || !isOfHouse(file)),
      ...this.#startsOf(file).filter((each) => !ROUTE.test(each)),
      ...this.#listedBy(file),
      ...this.#askedBy(file),
    ];
    this.#next.set(file, next);
    return next;
  }

  /** Modules that a file imports, without types, and those that it names, as for a process of its own. */
  #importsOf(file: string): string[] {
    const code = this.#text(file).replaceAll(/^(?:import|export)\s+type\s[^;]*;/gm, '');
    return [...code.matchAll(/(['"`])([\w@./-]+)\1/g)].flatMap(([, , name = '']) => {
      if (name === '@plaza/event-store') return ['packages/event-store/src/index.ts'];
      if (name === '@plaza/event-store/testing') return ['packages/event-store/testing/index.ts'];
      // `killWhenAllHeld('crash-process.ts')` names a program in the folder `support` beside the spec.
      const paths = [join(dirname(file), name), name, join(dirname(file), 'support', name)];
      return paths
        .map((path) => normalize(path))
        .flatMap((path) => [path, path.replace(/\.js$/, '.ts')])
        .filter(
          (path) =>
            isModule(path) && !/^\.|(?:^|\/)dist\/|^bin\//.test(path) && existsSync(join(this.root, path)),
        );
    });
  }

  /** Modules in the folders of sources that a test lists. */
  #listedBy(file: string): string[] {
    if (isOfHouse(file) && !file.endsWith('.spec.ts')) return [];
    const calls = this.#text(file).match(LISTS)?.join('') ?? '';
    const folders = [...calls.matchAll(/import\.meta\.dirname|'([\w./-]+)'/g)]
      .map(([, name = dirname(file)]) => normalize(`${name}/`))
      .filter((folder) => isOfHouse(folder));
    return this.#find(folders.map((folder) => join(folder, '**/!(*.spec).ts')));
  }

  /** Controllers of the routes that a module of tests names, or an example, or the demonstration that it runs. */
  #askedBy(file: string): readonly string[] {
    if (isOfHouse(file)) return [];
    const demo = /(['"`])demo\1/.test(this.#text(file)) ? this.#text('src/programs/demo/demo.ts') : '';
    const text = this.#text(file) + demo;
    const asksAll = ASKS_ALL.test(text) && !HOLDS_ANSWERS.test(file);
    return this.#routes()
      .filter(([path]) => asksAll || text.includes(path))
      .map(([, controller]) => controller);
  }

  #routes(): readonly (readonly [path: string, controller: string])[] {
    this.#controllers ??= this.#find(['src/doors/api/resources/**/*.controller.ts']).map((file) => [
      /@Controller\('([^']*)'\)/.exec(this.#text(file))?.[1] ?? '',
      file,
    ]);
    return this.#controllers;
  }

  #startsOf(file: string): string[] {
    const text = this.#text(file);
    if (file.startsWith('packages/event-store/testing/')) return ['packages/event-store/src/main.ts'];
    if (STARTS_NONE.test(file)) return [];
    const starts = STARTS.filter(([found]) => found.test(text)).flatMap(([, sources]) => sources);
    const isUnknown =
      /['"]node:child_process['"]/.test(text) && !/command\.js'/.test(text) && starts.length === 0;
    return this.#find(isUnknown ? NETWORK : starts);
  }
}
