import { join } from 'node:path';
import { Failure } from '../../operator/cli/failure.js';
import { columnsOf } from '../columns/columns.js';
import { resolvableColumns } from '../columns/resolvable.js';
import { pseudonymOf } from '../columns/rows.js';
import { requireState } from '../data-set/commits.js';
import { readKey, requireOwnKey } from '../data-set/data-set.js';
import { requireIntact } from '../data-set/outside-pages.js';
import { readParquet } from '../data-set/parquet.js';

export interface PseudonymPlace {
  readonly pseudonym: string;
  readonly position: number;
  readonly eventId: string;
  readonly column: string;
}

const searchedColumns = columnsOf('none').filter(({ name }) =>
  ['position', 'event_id', ...resolvableColumns].includes(name),
);

/**
 * Finds a pseudonym, or that of an id of the network, in a data set.
 * @throws {Failure} no row has it.
 */
export async function findPseudonym(dir: string, id: string): Promise<PseudonymPlace> {
  const wanted = new Set<unknown>([id, pseudonymWithKey(dir, id)]);
  const { number, files } = requireState(dir);
  try {
    for (const file of files) {
      requireIntact(dir, file);
      const place = await placeIn(join(dir, file.path), wanted);
      if (place) return place;
    }
  } catch (error) {
    const isMerged = (error as NodeJS.ErrnoException).code === 'ENOENT' && requireState(dir).number > number;
    if (isMerged) return findPseudonym(dir, id);
    throw error;
  }
  throw new Failure(`no row of ${dir} has ${id}, neither as a pseudonym nor as an id`);
}

async function placeIn(file: string, wanted: ReadonlySet<unknown>): Promise<PseudonymPlace | undefined> {
  const data = await readParquet(file, searchedColumns);
  for (const column of resolvableColumns) {
    const row = data[column]?.findIndex((value) => value !== undefined && wanted.has(value)) ?? -1;
    if (row < 0) continue;
    return {
      pseudonym: String(data[column]?.[row]),
      position: Number(data['position']?.[row]),
      eventId: String(data['event_id']?.[row]),
      column,
    };
  }
  return undefined;
}

/** Undefined: this copy of the data set has no key. */
export function pseudonymWithKey(dir: string, id: string): string | undefined {
  const key = readKey(dir);
  if (!key) return undefined;
  requireOwnKey(dir, requireState(dir), key);
  return pseudonymOf(key, id);
}
