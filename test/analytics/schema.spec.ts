import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { allColumns } from '../../src/analytics/columns/columns.js';
import { requireState } from '../../src/analytics/data-set/commits.js';
import { answers } from '../../src/analytics/query/answers.js';
import { openViews } from '../../src/analytics/query/open-views.js';
import type { Views } from '../../src/analytics/query/open-views.js';
import { schemaOf } from '../../src/analytics/query/schema.js';
import { caseEffects, caseOutcomes } from '../../src/domain/case/events.js';
import { runPlaza } from '../support/command.js';
import { ExportBench } from './support/export-bench.js';

let root: string;
let dir: string;
let views: Views;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'plaza-schema-'));
  dir = join(root, 'demo');
  await runPlaza(['analytics', 'demo', dir]);
  views = await openViews(dir);
});

afterAll(() => {
  views?.close();
  rmSync(root, { recursive: true });
});

const ready = ['events', 'applications', 'data_set', 'days', ...Object.keys(answers)];
const eventsColumns = new Set([...allColumns.map(({ name }) => name), 'day']);

/** Name and type in DuckDB of each column. */
async function describedColumns(view: string): Promise<readonly (readonly [string, string])[]> {
  return views.query(`DESCRIBE ${view}`, async (result) =>
    (await result.getRows()).map(([name, type]) => [String(name), String(type)] as const),
  );
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
      .filter(([name]) => name !== 'personal' && !(view === 'events' && name === 'by_operator_id'));
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

it('views.sql and a catalog have the views of the newest commit, which say the same in any time zone', async () => {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const file = join(root, 'catalog.duckdb');
  const made = await runPlaza(['analytics', 'catalog', dir, file, '--json']);
  expect(JSON.parse(made.stdout)).toEqual({ file, commit: requireState(dir).number });
  const fromFile = join(root, 'from-views.duckdb');
  const sql = readFileSync(join(dir, 'views.sql'), 'utf8');
  const rowsOfAll = async (database: string, zone: string) => {
    const instance = await DuckDBInstance.create(database);
    const duck = await instance.connect();
    const rowsOf = async (view: string) => {
      const times = `SELECT column_name FROM (DESCRIBE ${view}) WHERE column_type = 'TIMESTAMP WITH TIME ZONE'`;
      const columns = (await duck.runAndReadAll(times)).getRows().map(([name]) => String(name));
      const replaced = columns.map((name) => `epoch_us(${name}) AS ${name}`).join(', ');
      const select = `SELECT *${replaced === '' ? '' : ` REPLACE (${replaced})`} FROM ${view} ORDER BY ALL`;
      return (await duck.runAndReadAll(select)).getRowsJson();
    };
    try {
      if (database === fromFile) await duck.run(sql);
      await duck.run(`SET TimeZone = '${zone}'`);
      const all: Record<string, unknown> = {};
      for (const view of ready) all[view] = await rowsOf(view);
      return all;
    } finally {
      duck.closeSync();
      instance.closeSync();
    }
  };
  const rows = await rowsOfAll(file, 'UTC');
  const empty = Object.keys(rows).filter((view) => JSON.stringify(rows[view]) === '[]');
  expect(empty).toEqual(['restrictions']);
  expect(await rowsOfAll(fromFile, 'Asia/Kolkata')).toEqual(rows);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await runPlaza(['analytics', 'catalog', dir, join(dir, 'key')])).stderr).toContain(
    'cannot be written',
  );
});

it('a catalog that is made again has the newest views, and keeps what else it holds', async () => {
  const bench = await ExportBench.open();
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const file = join(root, 'again.duckdb');
  const run = async (sql: string) => {
    const instance = await DuckDBInstance.create(file);
    const duck = await instance.connect();
    try {
      return (await duck.runAndReadAll(sql)).getRowsJson();
    } finally {
      duck.closeSync();
      instance.closeSync();
    }
  };
  try {
    const target = bench.newDir();
    const count = 'SELECT count(*)::INTEGER FROM post_created';
    const catalog = () => bench.plaza('catalog', target, file);
    await bench.appendPosts(0);
    await bench.plaza('export', target);
    await catalog();
    await run(`CREATE TABLE counted AS ${count}`);
    await bench.appendPosts(0);
    await bench.plaza('export', target);
    await catalog();
    expect([await run(count), await run('FROM counted')]).toEqual([[[2]], [[1]]]);
    // A later export removes what the catalog names, and a reader of it is told so.
    const [{ path } = { path: '' }] = requireState(target).files;
    await bench.plaza('export', target, '--rebuild');
    await expect(run(count)).rejects.toThrow(path);
    rmSync(join(target, requireState(target).files[0]?.path ?? ''));
    const none = join(root, 'none.duckdb');
    expect((await bench.plaza('catalog', target, none)).stderr).toContain('cannot be written');
    expect(existsSync(none)).toBe(false);
  } finally {
    await bench.close();
  }
});

it('views.sql names the files below the root that an export was told, until it is told another', async () => {
  const bench = await ExportBench.open();
  try {
    await bench.appendPosts(0);
    const target = bench.newDir();
    const names = () => readFileSync(join(target, 'views.sql'), 'utf8');
    await bench.plaza('export', target, '--root', '/mnt/analytics');
    expect(names()).toContain("'/mnt/analytics/events/day=2026-01-01/");
    await bench.appendPosts(1);
    await bench.plaza('export', target);
    expect(names()).toContain("'/mnt/analytics/events/day=2026-01-02/");
    await bench.plaza('export', target, '--root', 's3://bucket/plaza/');
    expect(names()).toContain("'s3://bucket/plaza/events/");
    expect((await bench.plaza('export', target, '--root', 'mnt')).stderr).toContain(
      'an absolute path or a URL',
    );
    await bench.plaza('export', target, '--root', '/elsewhere');
    expect(names()).not.toContain('/mnt/analytics');
  } finally {
    await bench.close();
  }
});
