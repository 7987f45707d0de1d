import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { columnsOf } from '../../src/analytics/columns/columns.js';
import { answers } from '../../src/analytics/query/answers.js';
import { schemaOf } from '../../src/analytics/query/schema.js';
import { caseEffects, caseOutcomes } from '../../src/domain/case/events.js';
import { runPlaza } from '../support/command.js';

let root: string;
let dir: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'plaza-schema-'));
  dir = join(root, 'demo');
  await runPlaza(['analytics', 'demo', dir]);
});

afterAll(() => rmSync(root, { recursive: true }));

const ready = ['events', 'applications', 'data_set', 'days', ...Object.keys(answers)];
const eventsColumns = new Set([...columnsOf('encrypted').map(({ name }) => name), 'day']);

/** Name and type in DuckDB of each column. */
async function describedColumns(view: string): Promise<readonly (readonly [string, string])[]> {
  const { stdout } = await runPlaza(['analytics', 'query', dir, `DESCRIBE ${view}`]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly column_name: string; readonly column_type: string })
    .map((row) => [row.column_name, row.column_type]);
}

it('the schema has each column of the ready views, with its type', async () => {
  const types: Record<string, string> = {
    BIGINT: 'integer',
    VARCHAR: 'text',
    BOOLEAN: 'boolean',
    'TIMESTAMP WITH TIME ZONE': 'time',
    DATE: 'date',
    DOUBLE: 'number',
    TIMESTAMP: 'moment',
  };
  for (const view of ready) {
    const described = (await describedColumns(view))
      .map(([name, type]) => [name, types[type]])
      .filter(([name]) => name !== 'personal');
    const own = schemaOf(dir).filter((column) => column.view === view);
    expect([view, own.map(({ name, type }) => [name, type])]).toEqual([view, described]);
  }
});

it('the schema has the columns that the views of types add, and the values of fixed lists', async () => {
  const named = ({ view, name }: { readonly view: string; readonly name: string }) => `${view}.${name}`;
  const own = new Set(ready);
  const added = schemaOf(dir).filter(({ view }) => !own.has(view));
  for (const view of ['case_decided', 'post_created', 'grant_reuse_detected'])
    expect(
      (await describedColumns(view)).map(([name]) => name).filter((name) => !eventsColumns.has(name)),
    ).toEqual(added.filter((each) => each.view === view).map(({ name }) => name));
  const valuesOf = (column: string) => schemaOf(dir).find((each) => named(each) === column)?.values;
  expect(valuesOf('events.cause')).toEqual(['actor', 'block', 'client', 'operator', 'person', 'reuse']);
  expect(valuesOf('post_created.audience')).toEqual(['public']);
  expect(valuesOf('case_decided.outcome')).toEqual([...caseOutcomes].sort());
  expect(valuesOf('case_decided.effects')).toEqual([...caseEffects].sort());
});

it('the view of a type names a field apart from a column of every event', async () => {
  const names = (await describedColumns('look_recorded')).map(([name]) => name);
  expect(names.filter((name) => name.includes('position'))).toEqual(['position', 'data_position']);
});
