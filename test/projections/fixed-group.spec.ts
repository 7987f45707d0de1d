import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Group, Statement } from '../../projections/runner/projection.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { MemoryLog } from './support/memory-log.js';
import { some } from './support/recorded.js';
import { WorkerBench } from './support/worker.js';

const insertSeen: Statement<{ readonly id: string; readonly version: number }> = {
  name: 'seen.note',
  table: 'seen',
  key: ({ id }) => id,
  sql: `INSERT INTO seen SELECT id, version FROM json_to_recordset($1) AS row(id text, version integer)`,
};

/** Not idempotent, so that a second application is visible. */
const group = (version: number, linger: Pick<Group, 'lingerMs' | 'lingersAfter'> = {}): Group => ({
  name: 'seen',
  ...linger,
  projections: [
    {
      name: 'seen',
      version,
      tables: '',
      handlers: {
        'post.created': ({ event }, write) => write(insertSeen, { id: event.data.postId, version }),
      },
    },
  ],
});

describe('a group with tables of its own', () => {
  let postgres: TestPostgres;
  let bench: WorkerBench;
  let log: MemoryLog;

  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    bench = WorkerBench.open(await postgres.createReadStore());
    await bench.pool.query('CREATE SCHEMA fixed; CREATE TABLE fixed.seen (id text, version integer)');
    log = new MemoryLog();
    log.add(some.post('p1'), some.post('p2'));
  });
  afterEach(() => bench.close());

  const start = (version: number) => bench.startWithOwnTables(log, group(version), 'fixed');
  const waitForRows = (...expected: string[]) =>
    until(async () => {
      const { rows } = await bench.pool.query<{ seen: string }>(
        `SELECT id || ' ' || version AS seen FROM fixed.seen`,
      );
      return rows.map((row) => row.seen).join() === expected.join();
    });
  const waitForLogLine = (what: string) => until(() => bench.logged.some((line) => line.includes(what)));

  test('resumes after a restart under the same version', async () => {
    const first = start(1);
    await waitForRows('p1 1', 'p2 1');
    await first.stop();
    start(1);
    log.add(some.post('p3'));
    await expect(waitForRows('p1 1', 'p2 1', 'p3 1')).resolves.toBe(true);
  });

  test('is written by one worker of any version, and starts over under a later version', async () => {
    const older = start(1);
    await waitForRows('p1 1', 'p2 1');
    start(2);
    await waitForLogLine('standing by');
    log.add(some.post('p3'));
    await waitForRows('p1 1', 'p2 1', 'p3 1');
    await older.stop();
    await expect(waitForRows('p1 1', 'p2 1', 'p3 1', 'p1 2', 'p2 2', 'p3 2')).resolves.toBe(true);
  });

  test('is not written by an older version after a later one, and does not make that one wait', async () => {
    const later = start(2);
    await waitForRows('p1 2', 'p2 2');
    await later.stop();
    start(1);
    await waitForLogLine('written by a later release');
    log.add(some.post('p3'));
    start(2);
    await expect(waitForRows('p1 2', 'p2 2', 'p3 2')).resolves.toBe(true);
  });

  test('applies the events of its linger time in one transaction', async () => {
    const worker = bench.startWithOwnTables(log, group(1, { lingerMs: 700 }), 'fixed');
    await waitForRows('p1 1', 'p2 1');
    log.add(some.post('p3'));
    await waitForRows('p1 1', 'p2 1', 'p3 1');
    log.add(some.post('p4'));
    log.add(some.post('p5'));
    await waitForRows('p1 1', 'p2 1', 'p3 1', 'p4 1', 'p5 1');
    const { rows } = await bench.pool.query(
      `SELECT string_agg(id, ' ' ORDER BY id) AS together FROM fixed.seen GROUP BY xmin::text ORDER BY 1`,
    );
    expect(rows.map(({ together }) => together as string)).toEqual(['p1 p2', 'p3', 'p4 p5']);
    // A stop does not wait for the end of the linger time.
    await worker.stop();
  });

  test('does not linger after a batch of fewer events than it names', async () => {
    bench.startWithOwnTables(log, group(1, { lingerMs: 600_000, lingersAfter: 3 }), 'fixed');
    await waitForRows('p1 1', 'p2 1');
    log.add(some.post('p3'));
    await waitForRows('p1 1', 'p2 1', 'p3 1');
    log.add(some.post('p4'));
    await expect(waitForRows('p1 1', 'p2 1', 'p3 1', 'p4 1')).resolves.toBe(true);
  });
});
