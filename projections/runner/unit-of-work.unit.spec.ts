import { describe, expect, test } from '@jest/globals';
import type { ClientBase } from 'pg';
import type { Statement } from './projection.js';
import { UnitOfWork } from './unit-of-work.js';

interface Row {
  readonly id: string;
}

const statement = (name: string, table = 'thing'): Statement<Row> => ({
  name,
  table,
  sql: `${name} $1`,
  key: (row) => row.id,
});
const create = statement('create');
const remove = statement('remove');
const elsewhere = statement('elsewhere', 'other');

/** The rows of each call. */
async function sent(...writes: [Statement<Row>, string][]): Promise<string[]> {
  const calls: string[] = [];
  const work = new UnitOfWork();
  for (const [of, id] of writes) work.write(of, { id });
  await work.flush({
    query: ({ name, values }: { name: string; values: [string] }) => {
      const rows = JSON.parse(values[0]) as Row[];
      calls.push(`${name} ${rows.map(({ id }) => id).join(' ')}`);
      return Promise.resolve({});
    },
  } as unknown as ClientBase);
  return calls;
}

describe('a unit of work', () => {
  test('sends nothing if it is empty', async () => {
    expect(await sent()).toEqual([]);
  });

  test('sends the writes of one statement in one call, in order', async () => {
    expect(await sent([create, 'a'], [create, 'b'], [create, 'c'])).toEqual(['create a b c']);
  });

  test('lets a write overtake writes of other keys', async () => {
    expect(await sent([create, 'a'], [remove, 'a'], [create, 'b'], [remove, 'b'])).toEqual([
      'create a b',
      'remove a b',
    ]);
  });

  test('never lets a write overtake one of its own key', async () => {
    expect(await sent([create, 'a'], [remove, 'a'], [create, 'a'], [create, 'b'])).toEqual([
      'create a',
      'remove a',
      'create a b',
    ]);
  });

  test('never sends one key twice in one call', async () => {
    expect(await sent([create, 'a'], [create, 'a'], [create, 'b'])).toEqual(['create a', 'create a b']);
  });

  test('sends one key twice in one call where the statement takes several rows of a key, in order', async () => {
    const gather = { ...statement('gather'), manyOfOneKey: true };
    expect(await sent([gather, 'a'], [gather, 'b'], [gather, 'a'], [remove, 'a'], [gather, 'a'])).toEqual([
      'gather a b a',
      'remove a',
      'gather a',
    ]);
  });

  test('treats the same key of another table as another key', async () => {
    expect(await sent([create, 'a'], [elsewhere, 'a'], [create, 'b'], [elsewhere, 'b'])).toEqual([
      'create a b',
      'elsewhere a b',
    ]);
  });

  test('joins an earlier call of its statement across a call of another one', async () => {
    expect(await sent([create, 'a'], [remove, 'a'], [remove, 'b'], [create, 'c'], [create, 'b'])).toEqual([
      'create a c',
      'remove a b',
      'create b',
    ]);
  });
});
