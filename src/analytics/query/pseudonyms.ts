import { join } from 'node:path';
import { Failure } from '../../base/terminal/failure.js';
import { allColumns, operatorColumn } from '../columns/columns.js';
import { resolvableColumns } from '../columns/resolvable.js';
import { pseudonymOf } from '../columns/rows.js';
import type { Value } from '../columns/rows.js';
import { requireState } from '../data-set/commits.js';
import { readKey, requireOwnKey } from '../data-set/data-set.js';
import { requireIntact } from '../data-set/outside-pages.js';
import type { State } from '../data-set/state.js';
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
  const key = ownKey(dir, state);
  const given = ids.map((id) => [key ? pseudonymOf(key, id) : id, id] as const);
  const places = new Map<Value, PseudonymPlace>();
  const placeOf = ([pseudonym, id]: readonly [string, string]) => places.get(pseudonym) ?? places.get(id);
  try {
    for (const file of state.files) {
      if (given.every((each) => placeOf(each) !== undefined)) break;
      requireIntact(dir, file);
      await findIn(join(dir, file.path), new Set<Value>(given.flat()), options, places);
    }
  } catch (error) {
    const isMerged =
      (error as NodeJS.ErrnoException).code === 'ENOENT' && requireState(dir).number > state.number;
    if (isMerged) return findPseudonyms(dir, ids, options);
    throw error;
  }
  return given.map((each) => {
    const place = placeOf(each);
    if (!place)
      throw new Failure(
        `no row of ${dir} has ${each[1]}, neither as a pseudonym nor as an id${mayBeOperator(state, options) ? '; those of operators need --operators' : ''}`,
      );
    return place;
  });
}

const mayBeOperator = (state: State, options: SearchOptions) =>
  state.operators === true && !options.operators;

/** Adds a place of each pseudonym of the file that is wanted. */
async function findIn(
  file: string,
  wanted: ReadonlySet<Value>,
  { operators }: SearchOptions,
  places: Map<Value, PseudonymPlace>,
): Promise<void> {
  const searched = operators ? [operatorColumn.name] : resolvableColumns;
  const read = new Set(['position', 'event_id', ...searched]);
  const data = await readParquet(
    file,
    allColumns.filter(({ name }) => read.has(name)),
  );
  for (const column of searched)
    data[column]?.forEach((value, row) => {
      if (value === undefined || !wanted.has(value) || places.has(value)) return;
      places.set(value, {
        pseudonym: String(value),
        position: Number(data['position']?.[row]),
        eventId: String(data['event_id']?.[row]),
        column,
      });
    });
}

export function pseudonymWithKey(dir: string, id: string): string | undefined {
  const key = ownKey(dir, requireState(dir));
  return key && pseudonymOf(key, id);
}

function ownKey(dir: string, state: State): Buffer | undefined {
  const key = readKey(dir);
  if (key) requireOwnKey(dir, state, key);
  return key;
}
