import { ProjectionStoppedError } from '../../../projections/runner/faults.js';
import { buildIncarnation } from './build-incarnation.js';
import type { BuildOptions } from './build-incarnation.js';
import { verifyIncarnation } from './verify-incarnation.js';
import type { VerifiedTable } from './verify-incarnation.js';

/**
 * How often an incarnation is verified whose tables are not what the log says. Somebody may be erased between the build
 * and the verification, which then cannot read what the build could: behind the erasure both say the same.
 */
const TRIES = 2;

/**
 * Builds and verifies an incarnation, so that it can be published; what came since is applied by whoever publishes it.
 * @throws {ProjectionStoppedError} a table is not what the log says; else as {@link buildIncarnation}.
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
        ? ` Others differ, too: ${differences
            .slice(1)
            .map((each) => each.table)
            .join(', ')}.`
        : '';
    throw new ProjectionStoppedError(
      `Table ${table} of incarnation ${options.incarnation.incarnation} is not what the log says: ${missing} rows are missing, ` +
        `${unexpected} should not be there; one of them is ${example}.${others}`,
    );
  }
}
