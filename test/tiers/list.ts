/**
 * The tiers of the suite that `.ci/run` leaves out if nothing that they show has changed (decide.ts). A path that ends with `/` stands for
 * a folder with all in it.
 */
export interface Tier {
  readonly name: string;
  readonly specs: readonly string[];
  /** Specs in the folders of `specs` that start a network, and so always run. */
  readonly except?: readonly string[];
  /** A change in one of them runs the tier: all that its specs import, and all that the processes which they start are built from. */
  readonly paths: readonly string[];
}

/** The command line is built from these. No route, command or projection of the network's own processes is in it. */
const commandLine = [
  'packages/',
  'projections/',
  'src/analytics/',
  'src/base/',
  'src/domain/',
  'src/launch/',
  'src/log/',
  'src/operator/',
  'src/programs/',
  'src/recovery/',
  'src/server/client-request-id.ts',
];

/**
 * A network and its client are built from these. Tiers that start one are left out only if nothing but tests, documents and examples has
 * changed.
 */
const network = ['client/', 'packages/', 'projections/', 'src/'];

export const tiers: readonly Tier[] = [
  { name: 'event-store', specs: ['packages/event-store/'], paths: ['packages/event-store/'] },
  {
    name: 'analytics',
    specs: ['src/analytics/', 'test/analytics/'],
    except: ['test/analytics/network.spec.ts'],
    paths: [
      ...commandLine,
      'docs/analytics.md',
      'docs/analytics/',
      'examples/dbt/',
      'test/analytics/',
      'test/browser/support/',
      'test/log/support/',
    ],
  },
  { name: 'chaos', specs: ['test/chaos/'], paths: [...network, 'chaos/', 'test/chaos/'] },
  {
    name: 'containers',
    specs: ['test/containers/'],
    paths: [
      'docker-compose.cluster.yml',
      'docker-compose.yml',
      'docker/',
      'docs/deployment.md',
      'packages/event-store/',
      'test/containers/',
    ],
  },
  { name: 'fuzz', specs: ['test/fuzz/'], paths: [...network, 'test/fuzz/'] },
  { name: 'models', specs: ['test/model/'], paths: [...network, 'test/model/', 'test/projections/support/'] },
];

/** A change in one of them runs all tiers. */
export const runsAll: readonly string[] = [
  '.ci/',
  '.nvmrc',
  '.swcrc',
  'bin/',
  'jest.config.mjs',
  'nest-cli.json',
  'package-lock.json',
  'package.json',
  'packages/event-store/package.json',
  'test/conformance/run.reporter.mjs',
  'test/support/',
  'test/tiers/',
  'tsconfig.json',
];

export const isIn = (paths: readonly string[], file: string): boolean =>
  paths.some((path) => (path.endsWith('/') ? file.startsWith(path) : file === path));

/** The tier of a spec file that may be left out; undefined: it always runs. */
export const tierOf = (spec: string): Tier | undefined =>
  tiers.find(({ specs, except = [] }) => isIn(specs, spec) && !isIn(except, spec));

/** A pattern of the paths of a tier's specs, for Jest. @throws {Error} there is no such tier. */
export function patternOf(name: string): string {
  const tier = tiers.find((each) => each.name === name);
  if (tier === undefined) throw new Error(`there is no tier ${name} in test/tiers/list.ts`);
  const except = (tier.except ?? []).map((path) => `(?!${path})`).join('');
  return `${except}(?:${tier.specs.join('|')})`;
}

/** Which tiers need not run after these changes; why: one line for each tier, or one for all. */
export function decideBy(changed: readonly string[]): {
  readonly leftOut: readonly string[];
  readonly why: readonly string[];
} {
  const general = changed.find((file) => isIn(runsAll, file));
  if (changed.length === 0) return { leftOut: [], why: ['all run: nothing has changed'] };
  if (general !== undefined) return { leftOut: [], why: [`all run: ${general} has changed`] };
  const found = tiers.map(({ name, paths }) => ({ name, file: changed.find((file) => isIn(paths, file)) }));
  return {
    leftOut: found.flatMap(({ name, file }) => (file === undefined ? [name] : [])),
    why: found.map(({ name, file }) =>
      file === undefined ? `${name} is left out` : `${name} runs: ${file} has changed`,
    ),
  };
}
