import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { MemoryLog } from './support/memory-log.js';
import { some } from './support/recorded.js';
import { nextRelease, WorkerBench } from './support/worker.js';

describe('the cursors that an incarnation accepts', () => {
  let postgres: TestPostgres;
  let bench: WorkerBench;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    bench = WorkerBench.open(await postgres.createReadStore());
  });
  afterAll(async () => {
    await bench.close();
    await postgres.stop();
  });

  const validFrom = async (incarnation: string) => {
    const { rows } = await bench.pool.query<{ cursors_valid_from: string }>(
      'SELECT cursors_valid_from FROM recovery.incarnation WHERE incarnation = $1',
      [incarnation],
    );
    return BigInt(rows[0]?.cursors_valid_from ?? -1);
  };

  test('are all cursors for the first, and for the next those after the last position of the one before', async () => {
    const log = new MemoryLog();
    const [, post] = log.add(some.founding('n'), some.post('p1'));
    bench.start(log);
    const first = await until(() => bench.state());
    expect(await validFrom(first.incarnation)).toBe(0n);
    bench.start(log, nextRelease);
    const next = await until(async () => {
      const state = await bench.state();
      return state?.incarnation !== first.incarnation && state;
    });
    expect(await validFrom(next.incarnation)).toBe((post?.position ?? 0n) + 1n);
    expect(await validFrom(first.incarnation)).toBe(0n);
  });
});
