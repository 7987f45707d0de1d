/**
 * Jest's sequencer, but a sample begins with the files that take longest there: a run would otherwise end with one of them
 * alone. Jest's own record of durations has only what ran on this machine before, with other samples and whole.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import TestSequencer from '@jest/test-sequencer';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** They take from fifteen seconds to fifty, most of it waiting. */
const longest = [
  'test/chaos/chaos.spec.ts',
  'test/recovery/diverged-log.spec.ts',
  'src/http/slow-readers/unread-answers.unit.spec.ts',
  'test/api/kill.spec.ts',
  'test/recovery/killed-recovery.spec.ts',
  'test/fuzz/fuzz.spec.ts',
  'test/api/other-event-stores.spec.ts',
  'test/recovery/backup.spec.ts',
  'test/recovery/crash-matrix.spec.ts',
  'test/recovery/log-rollback.spec.ts',
  'test/launch/mounts.spec.ts',
  'test/examples/minimal-client.spec.ts',
  'test/recovery/erasure-steps.spec.ts',
  'test/projections/worker-process.spec.ts',
  'test/api/limits.spec.ts',
  'test/api/audit.spec.ts',
  'test/launch/store-secrets.spec.ts',
  'test/recovery/erasure.spec.ts',
  'test/openapi/client.spec.ts',
];
for (const path of longest)
  if (!existsSync(join(root, path))) throw new Error(`the sequencer names a file that is not there: ${path}`);

export default class LongestFirstSequencer extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (process.env['PLAZA_TEST_SAMPLE'] === undefined) return sorted;
    const turn = ({ path }) => {
      const at = longest.indexOf(path.slice(root.length));
      return at === -1 ? longest.length : at;
    };
    return sorted.toSorted((a, b) => turn(a) - turn(b));
  }
}
