/** dbt is a Python package, which no test can install: this reads the example as dbt does, and runs its SQL in DuckDB. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { openViews } from '../../src/analytics/query/open-views.js';
import type { Views } from '../../src/analytics/query/open-views.js';
import { runPlaza } from '../support/command.js';

const models = fileURLToPath(new URL('../../examples/dbt/models', import.meta.url));

interface Table {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly tests: readonly ('not_null' | 'unique')[] }[];
}

interface Declared {
  readonly sources: readonly { readonly tables: readonly Table[] }[];
  readonly models: readonly Table[];
}

let root: string;
let views: Views;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'plaza-dbt-'));
  await runPlaza(['analytics', 'demo', join(root, 'demo')]);
  views = await openViews(join(root, 'demo'));
});

afterAll(() => {
  views?.close();
  rmSync(root, { recursive: true });
});

const sqlOf = (file: string) =>
  readFileSync(join(models, file), 'utf8').replaceAll(/{{ source\('plaza', '(\w+)'\) }}/g, '$1');

const rowsOf = (sql: string) => views.query(sql, (result) => result.getRowsJson());

it('each model of the example answers, and each of its tests holds', async () => {
  const declared = parse(readFileSync(join(models, 'sources.yml'), 'utf8')) as Declared;
  const files = readdirSync(models).filter((name) => name.endsWith('.sql'));
  expect(declared.models.map(({ name }) => `${name}.sql`).toSorted()).toEqual(files.toSorted());
  const tables = [
    ...declared.sources.flatMap((source) => source.tables.map((table) => ({ table, from: table.name }))),
    ...declared.models.map((table) => ({ table, from: `(${sqlOf(`${table.name}.sql`)})` })),
  ];
  const broken: string[] = [];
  for (const { table, from } of tables) {
    expect([table.name, (await rowsOf(`SELECT * FROM ${from}`)).length > 0]).toEqual([table.name, true]);
    for (const { name, tests } of table.columns) {
      const counts = `SELECT count(*) - count(${name}), count(${name}) - count(DISTINCT ${name}) FROM ${from}`;
      const [[nulls, repeated] = []] = await rowsOf(counts);
      const failures = { not_null: nulls, unique: repeated };
      broken.push(
        ...tests.filter((test) => failures[test] !== '0').map((test) => `${test}: ${table.name}.${name}`),
      );
    }
  }
  expect(broken).toEqual([]);
});
