/**
 * Jest's sequencer, but files that use the lent or the shared network run one after another: a network that nobody uses
 * takes a twentieth of a core. The shared one is used last, so that it starts late.
 *
 * A sample begins with the files that take longest there: a run would otherwise end with one of them alone. Jest's own record
 * of durations has only what ran on this machine before, with other samples and whole.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import TestSequencer from '@jest/test-sequencer';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** They take from five seconds to forty by themselves, most of it waiting. */
const longest = [
  'test/recovery/diverged-log.spec.ts',
  'src/http/slow-readers/unread-answers.unit.spec.ts',
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
for (const path of longest)
  if (!existsSync(join(root, path))) throw new Error(`the sequencer names a file that is not there: ${path}`);

export default class NetworksTogetherSequencer extends TestSequencer {
  sort(tests) {
    const isSample = process.env['PLAZA_TEST_SAMPLE'] !== undefined;
    const turns = new Map(tests.map(({ path }) => [path, turnOf(path, isSample)]));
    return super.sort(tests).toSorted((a, b) => turns.get(a.path) - turns.get(b.path));
  }
}

function turnOf(path, isSample) {
  const at = isSample ? longest.indexOf(path.slice(root.length)) : -1;
  if (at !== -1) return at;
  const source = readFileSync(path, 'utf8');
  const network = ['/lent-network.js', '/shared-network.js'].findIndex((name) => source.includes(name));
  return longest.length + 1 + network;
}
