import { join } from 'node:path';
import type { Column } from '../columns/columns.js';
import type { Value } from '../columns/rows.js';
import { FoldedPeople } from './folded-people.js';
import type { FoldedGrant, FoldedPerson } from './folded-people.js';
import { requireIntact } from './outside-pages.js';
import { parquetOf, readParquet } from './parquet.js';
import type { Columns } from './parquet.js';
import { peoplePath } from './paths.js';
import type { PeopleFile } from './state.js';
import { placeParquet } from './write-file.js';
import type { WriteOptions } from './write-file.js';

/** `grants`: JSON. The row of no `actor_id` holds the grants of erased persons. */
const columns: readonly Column[] = (
  [
    ['actor_id', 'text'],
    ['registered_on', 'text'],
    ['app_id', 'text'],
    ['is_suspended', 'boolean'],
    ['standing_at', 'integer'],
    ['follows', 'integer'],
    ['likes', 'integer'],
    ['replies', 'integer'],
    ['grants', 'text'],
  ] as const
).map(([name, type]) => ({ name, type, meaning: '' }));

const valuesOf = (actorId: string, person: FoldedPerson): Record<string, Value> => ({
  actor_id: actorId === '' ? undefined : actorId,
  registered_on: person.registeredOn,
  app_id: person.appId,
  is_suspended: person.isSuspended,
  standing_at: BigInt(person.standingAt),
  follows: BigInt(person.follows),
  likes: BigInt(person.likes),
  replies: BigInt(person.replies),
  grants: person.grants.length > 0 ? JSON.stringify(person.grants) : undefined,
});

/** Writes a file that no commit names yet. `last`: position of the newest event that is folded. */
export function writePeople(
  dir: string,
  number: number,
  { people }: FoldedPeople,
  last: number,
  { compression, onStep }: WriteOptions,
): PeopleFile {
  const rows = [...people].map(([actorId, person]) => valuesOf(actorId, person));
  const data: Columns = Object.fromEntries(columns.map(({ name }) => [name, rows.map((row) => row[name])]));
  const path = peoplePath(number);
  return {
    path,
    last,
    rows: rows.length,
    people: rows.filter((row) => row['actor_id'] !== undefined).length,
    ...placeParquet(dir, path, parquetOf(columns, data, compression), (step) => onStep('fold', step)),
  };
}

export async function readPeople(dir: string, file: PeopleFile): Promise<FoldedPeople> {
  requireIntact(dir, file);
  const data = await readParquet(join(dir, file.path), columns);
  const people = new Map<string, FoldedPerson>();
  for (let n = 0; n < file.rows; n++) {
    const text = (column: string) => data[column]?.[n] as string | undefined;
    const count = (column: string) => Number(data[column]?.[n] ?? 0);
    people.set(text('actor_id') ?? '', {
      registeredOn: text('registered_on'),
      appId: text('app_id'),
      isSuspended: data['is_suspended']?.[n] === true,
      standingAt: count('standing_at'),
      follows: count('follows'),
      likes: count('likes'),
      replies: count('replies'),
      grants: JSON.parse(text('grants') ?? '[]') as readonly FoldedGrant[],
    });
  }
  return new FoldedPeople(people);
}
