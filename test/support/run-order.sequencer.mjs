/**
 * Jest's sequencer, which begins with the files that failed before, then those that took longest here, or else are largest, but:
 *
 * - Files that use the lent or the shared network follow each other in each worker: a network that nobody uses takes a twentieth of a
 *   core. The shared one is used last, so that it starts late. The longest of a sample come before both.
 * - A whole run spreads the files that mostly wait, or the processor would have little to do while they wait together.
 * - A sample begins with the files that take longest there, which Jest's record does not know.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import TestSequencer from '@jest/test-sequencer';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** They take from five seconds to forty by themselves in a sample, most of it waiting. */
const longest = [
  'test/recovery/diverged-log.spec.ts',
  'src/server/slow-readers/unread-answers.unit.spec.ts',
  'test/recovery/killed-recovery.spec.ts',
  'test/recovery/interrupted-build.spec.ts',
  'test/recovery/log-rollback.spec.ts',
  'test/browser/console.spec.ts',
  'test/projections/frozen-worker.spec.ts',
  'test/analytics/network.spec.ts',
  'test/api/kill.spec.ts',
  'test/browser/legibility.spec.ts',
  'test/fuzz/fuzz.spec.ts',
  'test/api/full-disk.spec.ts',
  'test/launch/refusing-event-store.spec.ts',
  'test/auth/frozen-store.spec.ts',
  'test/examples/typed-client.spec.ts',
  'test/recovery/mounted-restore.spec.ts',
  'test/launch/mounts.spec.ts',
  'test/recovery/erasure-steps.spec.ts',
  'test/recovery/erasure.spec.ts',
  'test/examples/operators-document.spec.ts',
];
/** They take from forty seconds to three minutes in a whole run, and use a core for a tenth to a quarter of that time. */
const waiting = [
  'test/recovery/recovery-command.spec.ts',
  'test/recovery/diverged-log.spec.ts',
  'test/recovery/runbook.spec.ts',
  'test/recovery/drill.spec.ts',
  'test/recovery/log-rollback.spec.ts',
  'test/analytics/failures.spec.ts',
  'test/recovery/killed-recovery.spec.ts',
  'test/api/faults.spec.ts',
  'test/launch/network.spec.ts',
  'test/log/cluster.spec.ts',
  'test/recovery/many-restrictions.spec.ts',
  'test/recovery/missing-restrictions.spec.ts',
  'test/projections/frozen-worker.spec.ts',
];
/** So that, more or less, one waits at a time. */
const OTHERS_PER_WAITING = 8;

for (const path of [...longest, ...waiting])
  if (!existsSync(join(root, path))) throw new Error(`the sequencer names a file that is not there: ${path}`);

export default class RunOrderSequencer extends TestSequencer {
  sort(tests) {
    const isSample = process.env['PLAZA_TEST_SAMPLE'] !== undefined;
    const turns = new Map(tests.map((test) => [test, turnOf(test, isSample)]));
    const sorted = super.sort(tests).toSorted((a, b) => turns.get(a) - turns.get(b));
    return isSample ? sorted : spread(sorted);
  }
}

const pathOf = ({ path }) => path.slice(root.length);

function turnOf(test, isSample) {
  const at = isSample ? longest.indexOf(pathOf(test)) : -1;
  if (at !== -1) return at;
  const source = readFileSync(test.path, 'utf8');
  const network = ['/lent-network.js', '/shared-network.js'].findIndex((name) => source.includes(name));
  return longest.length + 1 + network;
}

function spread(tests) {
  const place = (test) => waiting.indexOf(pathOf(test));
  const later = tests.filter((test) => place(test) !== -1).toSorted((a, b) => place(a) - place(b));
  const order = [];
  for (const [n, test] of tests.filter((each) => place(each) === -1).entries()) {
    if (n % OTHERS_PER_WAITING === 0) order.push(...later.splice(0, 1));
    order.push(test);
  }
  return [...order, ...later];
}
