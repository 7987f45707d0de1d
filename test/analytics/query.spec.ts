import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { columnsOf } from '../../src/analytics/columns/columns.js';
import { requireState } from '../../src/analytics/data-set/commits.js';
import { DataSet } from '../../src/analytics/data-set/data-set.js';
import { parquetOf, readParquet } from '../../src/analytics/data-set/parquet.js';
import { pseudonymWithKey } from '../../src/analytics/query/pseudonyms.js';
import type { EventMetadata } from '../../src/log/recorded.js';
import { streams } from '../../src/log/streams.js';
import { openViews } from '../../src/analytics/query/open-views.js';
import { environment, plaza, runPlaza } from '../support/command.js';
import { DAY_MS, ExportBench, FIRST_DAY } from './support/export-bench.js';

const HOUR_MS = 3_600_000;

let bench: ExportBench;
let dir: string;

beforeAll(async () => {
  bench = await ExportBench.open();
  await bench.appendPosts(0, 0, 1);
  dir = bench.newDir();
  await bench.plaza('export', dir);
});

afterAll(() => bench?.close());

const POSTS =
  'SELECT day, posts, \'a "word", more\' AS quoted FROM posts_per_app WHERE posts > 0 ORDER BY day';

it('a query may begin with a comment, and prints intervals as text and decimals to the last digit', async () => {
  const sql = `-- a comment
    SELECT INTERVAL 90 MINUTE AS time, 1.50 AS short, 12345678901234.5678 AS long, 9007199254740990.4 AS longer`;
  expect((await bench.plaza('query', dir, sql, '--json')).stdout).toBe(
    '{"time":"01:30:00","short":1.5,"long":"12345678901234.5678","longer":"9007199254740990.4"}\n',
  );
  const times = `SELECT INTERVAL '1 month 2 days' AS a, -INTERVAL 90 MINUTE AS b, INTERVAL '-1 days -01:30:00' AS c,
    (-1.5)::DECIMAL(38, 20) AS d, (-12345678901234567.5) AS e, '-1 -2' AS f`;
  expect((await bench.plaza('query', dir, times, '--csv')).stdout.split('\r\n')[1]).toBe(
    "1 month 2 days,-01:30:00,-1 day -01:30:00,-1.5,-12345678901234567.5,'-1 -2",
  );
});

it('a query prints JSON lines or CSV', async () => {
  const lines = [
    '{"day":"2026-01-01","posts":2,"quoted":"a \\"word\\", more"}',
    '{"day":"2026-01-02","posts":1,"quoted":"a \\"word\\", more"}',
    '',
  ];
  expect(await bench.plaza('query', dir, POSTS)).toEqual({ code: 0, stderr: '', stdout: lines.join('\n') });
  expect((await bench.plaza('query', dir, `${POSTS};`, '--csv')).stdout).toBe(
    'day,posts,quoted\r\n2026-01-01,2,"a ""word"", more"\r\n2026-01-02,1,"a ""word"", more"\r\n',
  );
  const refused = await bench.plaza('query', dir, POSTS, '--csv', '--json');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('cannot be used with')]);
});

it('a query writes a Parquet file for its owner alone, also over an older one, or leaves that as it was', async () => {
  const target = bench.newDir();
  const file = join(target, "posts' file.parquet");
  writeFileSync(file, 'older');
  const { code, stderr } = await bench.plaza('query', dir, 'SELECT nothing FROM events', '--parquet', file);
  expect([code, stderr, readFileSync(file, 'utf8')]).toEqual([
    1,
    expect.stringMatching(/^Binder Error[^\n]*\n$/),
    'older',
  ]);
  for (const sql of [`${POSTS};`, `${POSTS}; -- done`, 'DESCRIBE events', 'SHOW TABLES', POSTS]) {
    const answer = await bench.plaza('query', dir, sql, '--parquet', file);
    expect([sql, answer]).toEqual([sql, { code: 0, stdout: '', stderr: '' }]);
    expect([readFileSync(file).subarray(0, 4).toString(), statSync(file).mode & 0o777]).toEqual([
      'PAR1',
      0o600,
    ]);
  }
  const posts = await readParquet(file, [{ name: 'posts', type: 'integer', meaning: '' }]);
  expect(posts['posts']).toEqual([2n, 1n]);
  for (const sql of ["SET TimeZone = 'CET'", 'SELECT 1; SELECT 2', 'EXPLAIN SELECT 1'])
    expect(await bench.plaza('query', dir, sql, '--parquet', file)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'a query is one SELECT statement\n',
    });
  const none = join(target, 'none', 'x.parquet');
  expect(await bench.plaza('query', dir, POSTS, '--parquet', none)).toEqual({
    code: 1,
    stdout: '',
    stderr: `${none} cannot be written (ENOENT): name a file in a directory of this account\n`,
  });
  expect(readdirSync(target)).toEqual(["posts' file.parquet"]);
});

it('a query reads the data set alone and changes nothing', async () => {
  const [file] = requireState(dir).files;
  const path = join(dir, file!.path);
  const other = join(bench.newDir(), 'other.csv');
  writeFileSync(other, 'a,b\n1,2\n');
  for (const [sql, reason] of [
    [`COPY (SELECT 1) TO '${path}'`, 'a query is one SELECT statement'],
    [`SELECT 1; COPY (SELECT 1) TO '${path}'`, 'a query is one SELECT statement'],
    [`EXPLAIN ANALYZE COPY (SELECT 1) TO '${path}'`, 'a query is one SELECT statement'],
    ["SET TimeZone = 'CET'", 'a query is one SELECT statement'],
    [' ', 'a query is one SELECT statement'],
    [`SELECT * FROM read_csv('${other}')`, 'Permission Error'],
    ['SELECT nothing FROM events', 'Binder Error'],
  ] as const) {
    const { code, stdout, stderr } = await bench.plaza('query', dir, sql);
    expect([sql, code, stdout, stderr]).toEqual([
      sql,
      1,
      '',
      expect.stringMatching(new RegExp(`^${reason}[^\\n]*\\n$`)),
    ]);
  }
  expect(await bench.plaza('verify', dir)).toMatchObject({ code: 0 });
});

it('a report is decided by the first decision on its subject that saw it, and stays open without one', async () => {
  const decided = bench.newDir();
  const subject = { postId: 'reported', targetActorId: 'author-9' };
  const report = (hour: number, about: object) =>
    bench.append(`report-${hour}`, {
      type: 'report.created',
      data: {
        reportId: `report-${hour}`,
        reporterActorId: 'reporter',
        appId: 'app',
        reason: 'spam',
        text: 'a text',
        ...(about as typeof subject),
        at: FIRST_DAY + 20 * DAY_MS + hour * HOUR_MS,
      },
    });
  const decide = async (hour: number, caseId: string, about: object) =>
    bench.append(`plaza_case-${caseId}-${hour}`, {
      type: 'case.decided',
      data: {
        caseId,
        ...(about as typeof subject),
        operatorId: 'operator',
        decisionId: `decision-${hour}`,
        seenEventIds: [],
        networkRevision: (await bench.logged()).at(-1) ?? 0,
        outcome: 'violation',
        effects: [],
        notice: '',
        at: FIRST_DAY + 20 * DAY_MS + hour * HOUR_MS,
      },
    });
  await report(1, subject);
  await report(2, { targetActorId: 'author-9' });
  await decide(4, 'post', subject);
  await report(5, subject);
  await decide(11, 'post', subject);
  await report(12, subject);
  await bench.plaza('export', decided);
  const hours =
    'SELECT hour(reported_at) AS reported, hour(decided_at) AS decided, hours FROM report_decisions ORDER BY 1';
  expect((await bench.plaza('query', decided, hours, '--csv')).stdout).toBe(
    'reported,decided,hours\r\n1,4,3\r\n2,,\r\n5,11,6\r\n12,,\r\n',
  );
});

it('a restriction names the decision or batch that made it, and the operator’s own has neither', async () => {
  const restricted = bench.newDir();
  const restrict = (postId: string, metadata: Partial<EventMetadata>) =>
    bench.append(
      `post-${postId}`,
      { type: 'post.restricted', data: { postId, authorActorId: 'author', at: FIRST_DAY + 30 * DAY_MS } },
      { actorId: undefined, appId: undefined, operatorId: 'operator', ...metadata },
    );
  await restrict('by-decision', { cause: streams.case('case-1'), decisionId: 'decision-1' });
  await restrict('by-batch', { cause: streams.batch('batch-1') });
  await restrict('by-hand', {});
  await bench.append(streams.batch('batch-1'), {
    type: 'batch.requested',
    data: {
      batchId: 'batch-1',
      appId: 'app',
      kind: 'posts',
      items: ['by-batch'],
      at: FIRST_DAY + 30 * DAY_MS,
    },
  });
  await bench.plaza('export', restricted);
  const pseudonym = (id: string) => pseudonymWithKey(restricted, id) ?? null;
  const rows = await bench.plaza(
    'query',
    restricted,
    "SELECT why, post_id, case_id, decision_id, batch_id FROM restrictions WHERE day = DATE '2026-01-31' ORDER BY position",
  );
  expect(
    rows.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toEqual([
    {
      why: 'decision',
      post_id: pseudonym('by-decision'),
      case_id: pseudonym('case-1'),
      decision_id: pseudonym('decision-1'),
      batch_id: null,
    },
    {
      why: 'batch',
      post_id: pseudonym('by-batch'),
      case_id: null,
      decision_id: null,
      batch_id: pseudonym('batch-1'),
    },
    { why: 'operator', post_id: pseudonym('by-hand'), case_id: null, decision_id: null, batch_id: null },
  ]);
  const batches = await bench.plaza('query', restricted, 'SELECT batch_id FROM batch_requested', '--csv');
  expect(batches.stdout).toBe(`batch_id\r\n${pseudonym('batch-1')}\r\n`);
});

it('a data set without events answers, and a directory that is none says so', async () => {
  const empty = bench.newDir();
  await bench.plaza('export', empty, '--since', '1d');
  expect((await bench.plaza('query', empty, 'SELECT count(*) AS events FROM post_created')).stdout).toBe(
    '{"events":0}\n',
  );
  const none = await bench.plaza('query', join(empty, 'none'), 'SELECT 1');
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('is no data set')]);
});

it('a query opens the files of a newer commit, if those that it found are removed meanwhile', async () => {
  const moved = bench.newDir();
  await bench.plaza('export', moved);
  const options = { now: Date.now, randomBytes };
  const dataSet = DataSet.open(moved, { personal: 'none', since: null }, options);
  const count = 'SELECT count(*)::INTEGER FROM post_created';
  for (let turns = 0; turns < 20; turns++) {
    const opening = openViews(moved);
    for (let turn = 0; turn < turns; turn++) await setImmediate();
    const [file] = dataSet.state.files;
    const path = file!.path.replace(/\d+\.parquet$/, `${file!.last + turns}.parquet`);
    if (path !== file!.path) {
      copyFileSync(join(moved, file!.path), join(moved, path));
      dataSet.commit('flush', { added: [{ ...file!, path }], removed: [file!] });
    }
    const views = await opening;
    expect(await views.query(count, (result) => result.getRowsJson())).toEqual([[3]]);
    views.close();
  }
  dataSet.close();
});

const LARGE = `SELECT sum(length(t))::VARCHAR AS length FROM (
  SELECT t, row_number() OVER (ORDER BY t DESC) FROM (
    SELECT hash(range)::VARCHAR || repeat('x', 100) AS t FROM range(1_000_000)))`;

it('a query that is larger than its memory spills to the disk of the data set, and leaves nothing there', async () => {
  const left = join(dir, 'spill', 'query-of-a-killed-process');
  mkdirSync(left, { recursive: true });
  writeFileSync(join(left, 'duckdb_temp_storage.tmp'), 'spilled');
  const small = ['--memory', '100MB', '--csv'];
  expect(await bench.plaza('query', dir, LARGE, ...small)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^length\r\n11\d{7}\r\n$/),
  });
  expect(readdirSync(join(dir, 'spill'))).toEqual([]);
  expect((await bench.plaza('query', dir, 'SELECT 1', '--memory', 'much')).stderr).toContain('512MB, 4GiB');
});

it('a folder above the data set that looks like a column changes none', async () => {
  const above = join(bench.newDir(), 'day=2020-01-01', 'type=x');
  cpSync(dir, above, { recursive: true });
  const days =
    'SELECT day::VARCHAR AS day, count(*)::INT AS posts FROM post_created GROUP BY day ORDER BY day';
  expect((await bench.plaza('query', above, days)).stdout).toBe(
    '{"day":"2026-01-01","posts":2}\n{"day":"2026-01-02","posts":1}\n',
  );
});

it('CSV has no formula in a text, and leaves pseudonyms and numbers as they are', async () => {
  const pseudonym = `-${'k3Jx0'.padEnd(21, '_')}`;
  const sql = `SELECT '=1+1' AS a, '${pseudonym}' AS b, -5 AS c, -99999999999999999999::HUGEINT AS d, '-1+2' AS e`;
  const { stdout } = await bench.plaza('query', dir, sql, '--csv');
  expect(stdout).toBe(`a,b,c,d,e\r\n'=1+1,${pseudonym},-5,-99999999999999999999,'-1+2\r\n`);
});

const shell = (input: string) => runPlaza(['analytics', 'shell', dir, '--json'], bench.env, input);

it('the shell answers one statement after the other, also a last one that has no semicolon', async () => {
  const input =
    'SELECT count(*) AS posts\nFROM post_created;\nSELECT 2 AS two; -- two\nSELECT 3 AS three\n-- the end';
  expect(await shell(input)).toEqual({
    code: 0,
    stdout: '{"posts":3}\n{"two":2}\n{"three":3}\n',
    stderr: '',
  });
  expect(await shell('SELECT 1 AS one;\n\n-- the end')).toMatchObject({ code: 0, stdout: '{"one":1}\n' });
});

it('a statement of the shell ends with a semicolon outside of texts and comments', async () => {
  const input = `SELECT 1 AS one -- not here;
    /* nor here;
    */ , '
    nor ''here;
    ' AS two;
    SELECT '--' AS three;
    SELECT $a$;
    $b$; $a$ AS four;
    ; -- nothing
    -- nothing;`;
  const answers = [
    `{"one":1,"two":"\\n    nor 'here;\\n    "}`,
    '{"three":"--"}',
    '{"four":";\\n    $b$; "}',
    '',
  ];
  expect(await shell(input)).toEqual({ code: 0, stdout: answers.join('\n'), stderr: '' });
  expect(await bench.plaza('query', dir, '-- nothing')).toMatchObject({
    code: 1,
    stderr: 'a query is one SELECT statement\n',
  });
});

it('the shell answers from the commit that is the newest when a statement begins', async () => {
  const grown = bench.newDir();
  await bench.plaza('export', grown);
  const child = spawn(process.execPath, [plaza, 'analytics', 'shell', grown, '--json'], {
    env: environment(bench.env),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const count = async () => {
    child.stdin.write('SELECT count(*) AS posts FROM post_created;\n');
    return (await answers.next()).value;
  };
  expect(await count()).toBe('{"posts":3}');
  const dataSet = DataSet.open(grown, { personal: 'none', since: null }, { now: Date.now, randomBytes });
  dataSet.commit('flush', { removed: dataSet.state.files });
  dataSet.close();
  expect(await count()).toBe('{"posts":0}');
  child.stdin.end();
  await once(child, 'close');
});

it('the shell goes on after an error, and a script with one exits with 1', async () => {
  expect(await shell('SELECT nothing;\nSELECT 2 AS two;\nSET TimeZone = 1')).toEqual({
    code: 1,
    stdout: '{"two":2}\n',
    stderr: expect.stringMatching(/^Binder Error[^\n]+\na query is one SELECT statement\n$/),
  });
});

it('without the optional package, queries say so in one line, and exports work', async () => {
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (name.startsWith('@duckdb/')) throw Object.assign(new Error(name), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(name, context);
    } });`;
  const file = join(bench.newDir(), 'hook.mjs');
  writeFileSync(file, hook);
  const env = { ...bench.env, NODE_OPTIONS: `--import ${file}` };
  for (const args of [
    ['query', dir, 'SELECT 1'],
    ['shell', dir],
    ['report', dir],
  ])
    expect(await runPlaza(['analytics', ...args], env)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^this command needs the optional package @duckdb\/node-api, [^\n]+\n$/),
    });
  expect(await runPlaza(['analytics', 'export', bench.newDir()], env)).toMatchObject({ code: 0 });
  expect(await runPlaza(['analytics', 'resolve', dir, 'nobody', '--reason', 'x'], env)).toEqual({
    code: 1,
    stdout: '',
    stderr: `no row of ${dir} has nobody, neither as a pseudonym nor as an id\n`,
  });
});

it('files of a release without some columns and types still answer, and compact with newer ones', async () => {
  const old = bench.newDir();
  await bench.plaza('export', old);
  const options = { now: Date.now, randomBytes };
  const dataSet = DataSet.open(old, { personal: 'none', since: null }, options);
  const [first] = dataSet.state.files;
  const columns = columnsOf({ personal: 'none' });
  const fewer = columns.filter(({ name }) => !['app_id', 'kind', 'data'].includes(name));
  const { bytes } = parquetOf(fewer, await readParquet(join(old, first!.path), columns), 'zstd');
  dataSet.commit('flush', { removed: [first!] });
  writeFileSync(join(old, first!.path), bytes);
  dataSet.commit('flush', {
    added: [
      {
        ...first!,
        outside: undefined,
        bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      },
    ],
    shape: 'of an older release',
  });
  dataSet.close();
  const status = JSON.parse((await bench.plaza('status', old, '--json')).stdout) as object;
  expect(status).toMatchObject({ hasOlderColumns: true });
  const apps =
    "SELECT count(*) AS posts, count(app_id) AS apps, count(data) AS data FROM events WHERE day = '2026-01-01'";
  expect((await bench.plaza('query', old, apps)).stdout).toBe('{"posts":2,"apps":0,"data":0}\n');
  await bench.appendPosts(0);
  expect(await bench.plaza('export', old)).toMatchObject({ code: 0 });
  expect(requireState(old).files.filter(({ day }) => day === first!.day)).toHaveLength(1);
  expect((await bench.plaza('query', old, apps)).stdout).toBe('{"posts":3,"apps":1,"data":1}\n');
  // As it would be after a release was rolled back and came again.
  expect(requireState(old).shape).toBe('mixed');
  expect(await bench.plaza('export', old, '--rebuild')).toMatchObject({ code: 0 });
  expect((await bench.plaza('query', old, apps)).stdout).toBe('{"posts":3,"apps":3,"data":3}\n');
  expect(await bench.plaza('verify', old)).toMatchObject({ code: 0 });
});
