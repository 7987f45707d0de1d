/** Tests run on Node's own ES modules, compiled one file at a time by swc with the build's settings. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const {
  exclude: _specsToo,
  $schema: _schema,
  ...swc
} = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));

// The processes that tests start are a quarter quicker to boot from what Node has compiled before.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url));

export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/projections', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
  globalSetup: '<rootDir>/test/support/run.setup.mjs',
  globalTeardown: '<rootDir>/test/support/run.teardown.mjs',
  // One more than the two cores: with as many, they stand idle for a fifth of the time, waiting for what specs start.
  maxWorkers: 3,
  testTimeout: 30_000,
  reporters: ['default', '<rootDir>/test/support/closing-lines.reporter.mjs'],
};
