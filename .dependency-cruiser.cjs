/** The walls of the house (docs/adr/0001): who may import whom. No circle, no arrow back up. */

/** A folder may import itself, packages, and what is listed. Unit specs may reach for anything that tests may. */
const mayImport = {
  '^src/domain/': [],
  '^src/config/': [],
  '^src/pages/': [],
  '^src/store/': [],
  '^src/limits/': ['^src/config/', '^src/store/'],
  '^src/log/embedded/': [],
  '^src/log/(?!embedded/)': ['^src/domain/', '^src/config/', '^src/store/'],
  '^src/commands/': ['^src/domain/', '^src/log/(?!embedded/)', '^src/store/', '^projections/authority/'],
  '^src/recovery/': [
    '^src/domain/',
    '^src/commands/',
    '^src/log/(?!embedded/)',
    '^src/log/embedded/snapshot\\.ts$',
    '^src/store/',
    '^projections/(runner|groups)',
  ],
  '^projections/': [
    '^src/domain/',
    '^src/log/(?!embedded/)',
    '^src/config/',
    '^src/store/',
    '^src/recovery/',
    '^src/launch/child\\.ts$',
  ],
  '^src/http/': [
    '^src/domain/',
    '^src/commands/',
    '^src/log/(?!embedded/)',
    '^src/store/',
    '^src/config/',
    '^src/pages/',
    '^src/limits/',
    '^src/recovery/recovery-state\\.ts$',
    '^projections/.+\\.read-model\\.ts$',
    '^projections/posts/post\\.ts$',
    '^projections/groups\\.ts$',
    '^projections/runner/(projection|read-query|page-query|position-listener|projection-status)\\.ts$',
  ],
  '^src/auth/': [
    '^src/domain/',
    '^src/commands/',
    '^src/config/',
    '^src/pages/',
    '^src/limits/',
    '^src/store/',
    '^src/log/(vault|recorded|event-log)',
    '^src/http/network-origin\\.ts$',
    '^projections/authority/',
  ],
  '^src/launch/': ['^src/config/', '^src/log/embedded/(server|errors|storage/directory-lock)\\.ts$'],
  '^src/operator/': [
    '^src/auth/passwords\\.ts$',
    '^src/commands/',
    '^src/config/',
    '^src/domain/',
    '^src/http/(errors|error\\.filter|json-body|admission/restriction-proof)\\.ts$',
    '^src/launch/',
    '^src/log/(?!embedded/)',
    '^src/store/',
    '^src/recovery/',
    '^projections/audit/audit\\.read-model\\.ts$',
    '^projections/groups\\.ts$',
    '^projections/runner/(projection|position-listener|projection-status)\\.ts$',
  ],
};

const specs = '\\.spec\\.ts$';

module.exports = {
  forbidden: [
    {
      name: 'no-circle',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    ...Object.entries(mayImport).map(([folder, others]) => ({
      name: `walls of ${folder.replace(/[\^()?!\\]/g, '')}`,
      severity: 'error',
      from: { path: folder, pathNot: specs },
      to: { path: '^(src|projections|test|bench|chaos)/', pathNot: [folder, ...others] },
    })),
    {
      name: 'the-domain-is-pure',
      severity: 'error',
      from: { path: '^src/domain/', pathNot: specs },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'] },
    },
    {
      name: 'only-the-worker-itself-knows-recovery',
      severity: 'error',
      from: { path: '^projections/', pathNot: ['^projections/main\\.ts$', specs] },
      to: { path: '^src/recovery/' },
    },
    {
      name: 'tests-are-not-imported',
      severity: 'error',
      from: { path: '^(src|projections|bench)/', pathNot: specs },
      to: { path: `^test/|${specs}` },
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
      conditionNames: ['import', 'node', 'default', 'types'],
    },
    parser: 'swc',
  },
};
