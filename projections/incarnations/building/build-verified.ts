import { ProjectionStoppedError } from '../../runner/faults.js';
import { buildIncarnation } from './build-incarnation.js';
import type { BuildOptions } from './build-incarnation.js';
import { verifyIncarnation } from './verify-incarnation.js';
import type { VerifiedTable } from './verify-incarnation.js';

/**
 * Verifications before the build fails. An erasure between a build and its verification makes texts unreadable for the
 * latter only; a second build applies the erasure, too.
 */
const TRIES = 2;

/**
 * Builds and verifies an incarnation for publication, and returns its tables. The caller applies later
 * events.
 * @throws {ProjectionStoppedError} a table differs from the log; otherwise as {@link buildIncarnation}.
 */
export async function buildVerified(options: BuildOptions): Promise<readonly VerifiedTable[]> {
  for (let attempt = 1; ; attempt++) {
    await buildIncarnation(options);
    const { tables, differences } = await verifyIncarnation(options);
    const [first] = differences;
    if (!first) return tables;
    if (attempt < TRIES) continue;
    const { table, missing, unexpected, example } = first;
    const others =
      differences.length > 1
        ? ` Other tables differ, too: ${differences
            .slice(1)
            .map((each) => each.table)
            .join(', ')}.`
        : '';
    throw new ProjectionStoppedError(
      `Table ${table} of incarnation ${options.incarnation.incarnation} differs from the log: ${missing} rows are missing, ` +
        `${unexpected} are unexpected; an example is ${example}.${others}`,
    );
  }
}
