/** Tests run on Node's own modules (test/support/native.runtime.mjs). */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { escaped } from './test/changed/reach.ts';

const root = fileURLToPath(new URL('.', import.meta.url));

// The processes that tests start are a quarter quicker to boot from what Node has compiled before.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url));

// Processes compare each answer of an act with its schema (src/operator/desk/act.ts).
process.env['PLAZA_CHECK_ANSWERS'] = 'true';

// The commit is the seed of a sample. A run of named files or with options is whole.
if (process.env['PLAZA_TEST_SAMPLE'] === 'commit') {
  if (process.argv.length > 2) delete process.env['PLAZA_TEST_SAMPLE'];
  else process.env['PLAZA_TEST_SAMPLE'] = commit();
}

/** Of a copy without its history: its version. */
function commit() {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], {
    encoding: 'utf8',
    cwd: root,
  });
  return status === 0 ? stdout.trim() : JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

/** Patterns of the spec files that `npm run test:changed` leaves out. A run of named files has them all. */
function leftOut() {
  const names = (process.env['PLAZA_TEST_WITHOUT'] ?? '').split('\n').filter((name) => name !== '');
  return process.argv.length > 2 ? [] : names.map((name) => `^<rootDir>/${escaped(name)}$`);
}

export default {
  testEnvironment: '<rootDir>/test/support/sample.environment.mjs',
  roots: ['<rootDir>/src', '<rootDir>/projections', '<rootDir>/packages', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...leftOut()],
  runtime: '<rootDir>/test/support/native.runtime.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testSequencer: '<rootDir>/test/support/run-order.sequencer.mjs',
  globalSetup: '<rootDir>/test/support/run.setup.mjs',
  globalTeardown: '<rootDir>/test/support/run.teardown.mjs',
  // Twice as many as there are cores: specs wait for what they start. At most eight: with that, each takes a gigabyte or two.
  maxWorkers: Math.min(availableParallelism() * 2, 8),
  // A worker keeps the modules of every file that it has run. To give back two gigabytes of them when it ends takes longer
  // than the half second after which Jest says by default that something keeps it alive, and kills it.
  workerGracefulExitTimeout: 10_000,
  // Ends a hang, and is no measure of speed. Longer than `until` waits, which says what it waited for.
  testTimeout: 600_000,
  reporters: [
    'default',
    '<rootDir>/test/conformance/run.reporter.mjs',
    '<rootDir>/test/support/closing-lines.reporter.mjs',
  ],
};
