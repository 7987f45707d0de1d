import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { Failure } from '../../operator/cli/failure.js';
import { resolvableColumns } from '../columns/resolvable.js';
import { pseudonymOf } from '../columns/rows.js';
import { paths } from '../data-set/paths.js';
import { openViews } from './open-views.js';
import { named, quoted } from './sql.js';

/** A row that has the pseudonym, and the column. */
const placeIn = z.object({
  pseudonym: z.string(),
  position: z.coerce.number(),
  eventId: z.string(),
  column: z.string(),
});

export type PseudonymPlace = z.infer<typeof placeIn>;

/**
 * Finds a pseudonym, or that of an id of the network, in a data set.
 * @throws {Failure} no row has it.
 */
export async function findPseudonym(dir: string, id: string): Promise<PseudonymPlace> {
  const views = await openViews(dir);
  try {
    const wanted = [id, pseudonymWithKey(dir, id) ?? id].map(quoted).join(', ');
    const places = resolvableColumns.map(
      (column) =>
        `(SELECT ${named(column)} AS pseudonym, position, event_id AS "eventId", '${column}' AS "column"
        FROM events WHERE ${named(column)} IN (${wanted}) LIMIT 1)`,
    );
    const [row] = await views.query(`${places.join(' UNION ALL ')} LIMIT 1`, (result) =>
      result.getRowObjectsJson(),
    );
    if (!row) throw new Failure(`no row of ${dir} has ${id}, neither as a pseudonym nor as an id`);
    return placeIn.parse(row);
  } finally {
    views.close();
  }
}

/** Undefined: this copy of the data set has no key. */
export function pseudonymWithKey(dir: string, id: string): string | undefined {
  const path = paths.key(dir);
  if (!existsSync(path)) return undefined;
  return pseudonymOf(Buffer.from(readFileSync(path, 'utf8').trim(), 'hex'), id);
}
