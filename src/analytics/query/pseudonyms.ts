import { join } from 'node:path';
import { Failure } from '../../operator/cli/failure.js';
import { allColumns, operatorColumn } from '../columns/columns.js';
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

interface SearchOptions {
  readonly operators: boolean;
}

/**
 * Finds pseudonyms, or those of ids of the network, in a data set: a place of each, in the order of `ids`.
 * @throws {Failure} no row has one of them.
 */
export async function findPseudonyms(
  dir: string,
  ids: readonly string[],
  options: SearchOptions,
): Promise<readonly PseudonymPlace[]> {
  const state = requireState(dir);
  if (options.operators && state.operators !== true)
    throw new Failure(
      `${dir} does not say which operator acted: export into another directory with --operators`,
    );
  const wanted = new Map<string, string>();
  for (const id of ids) wanted.set(pseudonymWithKey(dir, id) ?? id, id).set(id, id);
  const places = new Map<string, PseudonymPlace>();
  try {
    for (const file of state.files) {
      if (places.size === new Set(ids).size) break;
      requireIntact(dir, file);
      await findIn(join(dir, file.path), wanted, options, places);
    }
  } catch (error) {
    const isMerged =
      (error as NodeJS.ErrnoException).code === 'ENOENT' && requireState(dir).number > state.number;
    if (isMerged) return findPseudonyms(dir, ids, options);
    throw error;
  }
  return ids.map((id) => {
    const place = places.get(id);
    if (!place) throw new Failure(`no row of ${dir} has ${id}, neither as a pseudonym nor as an id`);
    return place;
  });
}

/** `wanted`: id that was asked for, by pseudonym. Adds to `places`, by that id. */
async function findIn(
  file: string,
  wanted: ReadonlyMap<unknown, string>,
  { operators }: SearchOptions,
  places: Map<string, PseudonymPlace>,
): Promise<void> {
  const searched = operators ? [operatorColumn.name] : resolvableColumns;
  const read = new Set(['position', 'event_id', ...searched]);
  const data = await readParquet(
    file,
    allColumns.filter(({ name }) => read.has(name)),
  );
  for (const column of searched)
    data[column]?.forEach((value, row) => {
      const id = wanted.get(value);
      if (id === undefined || places.has(id)) return;
      places.set(id, {
        pseudonym: String(value),
        position: Number(data['position']?.[row]),
        eventId: String(data['event_id']?.[row]),
        column,
      });
    });
}

/** Undefined: this copy of the data set has no key. */
export function pseudonymWithKey(dir: string, id: string): string | undefined {
  const key = readKey(dir);
  if (!key) return undefined;
  requireOwnKey(dir, requireState(dir), key);
  return pseudonymOf(key, id);
}
