import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readState } from '../../src/analytics/data-set/commits.js';
import { steps } from '../../src/analytics/data-set/steps.js';
import { sampleOf } from '../support/sample.js';
import { ExportBench, positionsOf, runKilled } from './support/export-bench.js';
import type { KillPoint } from './support/killed-export.js';

const FLUSHED_AND_COMPACTED = (['flush', 'compaction'] as const).flatMap((phase) =>
  steps
    // Files that a compaction replaced are removed by the commits after it.
    .filter((step) => phase === 'compaction' || step !== 'one superseded file removed')
    .map((step) => ({ phase, step })),
);

/** Three flushes and three compactions reach each point three times at least. */
const points: readonly KillPoint[] = FLUSHED_AND_COMPACTED.flatMap(({ phase, step }) =>
  // The first and a later one: their commits differ.
  [1, 3].map((time) => ({ phase, step, time })),
);

let bench: ExportBench;

beforeAll(async () => {
  bench = await ExportBench.open();
});

afterAll(() => bench?.close());

it('an export that is killed at any point of a write, commit or compaction loses and doubles nothing', async () => {
  expect(points).toHaveLength(2 * FLUSHED_AND_COMPACTED.length);
  const dir = bench.newDir();
  await bench.appendPosts(0, 1, 2);
  expect(await runKilled(bench, dir, null)).toEqual({ end: 0, reached: null });
  for (const point of sampleOf(points, 5)) {
    await bench.appendPosts(0, 1, 2, 0, 1, 2);
    expect(await runKilled(bench, dir, point)).toEqual({ end: 'SIGKILL', reached: point });
    const checkpoint = readState(dir)?.checkpoint?.position ?? -1;
    expect(await positionsOf(dir)).toEqual(
      (await bench.logged()).filter((position) => position <= checkpoint),
    );
  }
  expect(await runKilled(bench, dir, null)).toEqual({ end: 0, reached: null });
  expect(await positionsOf(dir)).toEqual(await bench.logged());
  const { code, stdout } = await bench.plaza('verify', dir, '--json');
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { faults: [] }]);
});
