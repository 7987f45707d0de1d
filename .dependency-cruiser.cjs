/** Walls that folders do not show: checks/rooms.mjs has the floors of the house. Imports of types count. */

const specs = '\\.spec\\.ts$';

module.exports = {
  forbidden: [
    {
      name: 'no-circle',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'the-domain-is-pure',
      severity: 'error',
      from: { path: '^src/domain/', pathNot: specs },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'], pathNot: '^node_modules/zod/' },
    },
    {
      name: 'the-rules-have-no-schemas',
      severity: 'error',
      from: { path: '^src/domain/', pathNot: [specs, '/events?\\.ts$'] },
      to: { path: '^node_modules/zod/' },
    },
    {
      name: 'the-transparency-log-is-pure',
      severity: 'error',
      from: { path: '^src/log/transparency/', pathNot: specs },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'], pathNot: '^(node:)?crypto$' },
    },
    ...['^src/domain/', '^src/log/transparency/'].map((room) => ({
      name: `nothing-of-plaza-in ${room.replace('^', '')}`,
      severity: 'error',
      from: { path: room, pathNot: specs },
      to: { path: '^(src|projections)/', pathNot: room },
    })),
    {
      name: 'nothing-of-plaza-in packages/',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(src|projections|test|bench|chaos)/' },
    },
    {
      name: 'an-example-knows-the-published-api-alone',
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: '^(src|projections|packages|test|bench|chaos|bin)/' },
    },
    {
      name: 'a-package-by-its-entries-alone',
      severity: 'error',
      from: { pathNot: '^packages/' },
      to: { path: '^packages/', pathNot: '^packages/[^/]+/(src|testing)/index\\.ts$' },
    },
    {
      name: 'the-entry-for-tests-is-for-tests',
      severity: 'error',
      from: { path: '^(src|projections)/', pathNot: specs },
      to: { path: '^packages/[^/]+/testing/' },
    },
    {
      name: 'a-projection-knows-no-incarnation',
      severity: 'error',
      from: { path: '^projections/', pathNot: ['^projections/(incarnations|jobs)/', specs] },
      to: { path: ['^projections/(incarnations|jobs)/', '^src/log/witness/'] },
    },
    {
      name: 'tests-are-not-imported',
      severity: 'error',
      from: { path: '^(src|projections|bench)/', pathNot: specs },
      to: { path: `^test/|${specs}` },
    },
    {
      name: 'the-house-imports-no-program-about-it',
      severity: 'error',
      from: { path: '^(src|projections)/', pathNot: specs },
      to: { path: '^(bench|chaos)/' },
    },
    {
      name: 'the-checker-of-chaos-is-independent',
      severity: 'error',
      from: { path: '^chaos/checker/' },
      to: { path: '^(src|projections|test)/' },
    },
    {
      name: 'declared-packages-only',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
    },
    { name: 'found', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default', 'types'],
    },
    parser: 'swc',
  },
};
