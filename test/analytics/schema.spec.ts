import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { answers } from '../../src/analytics/query/answers.js';
import { schemaOf } from '../../src/analytics/query/schema.js';
import { runPlaza } from '../support/command.js';

let root: string;
let dir: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'plaza-schema-'));
  dir = join(root, 'demo');
  await runPlaza(['analytics', 'demo', dir]);
});

afterAll(() => rmSync(root, { recursive: true }));

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
  };
  for (const view of ['events', 'applications', ...Object.keys(answers)]) {
    const described = (await describedColumns(view))
      .map(([name, type]) => [name, types[type]])
      .filter(([name]) => name !== 'personal');
    const own = schemaOf(dir).filter((column) => column.view === view);
    expect([view, own.map(({ name, type }) => [name, type])]).toEqual([view, described]);
  }
  expect(new Set(schemaOf(dir).map(({ view }) => view)).size).toBe(Object.keys(answers).length + 2);
});

it('the view of a type names a field apart from a column of every event', async () => {
  const names = (await describedColumns('look_recorded')).map(([name]) => name);
  expect(names.filter((name) => name.includes('position'))).toEqual(['position', 'data_position']);
});
