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
const points: readonly KillPoint[] = FLUSHED_AND_COMPACTED.flatMap(({ phase, step }) => {
  const isMoreOften =
    step === 'one superseded file removed' || (phase === 'flush' && step.startsWith('file'));
  const times = isMoreOften || (phase === 'flush' && step.startsWith('half')) ? [1, 2, 3, 4] : [1, 2, 3];
  return times.map((time) => ({ phase, step, time }));
});

let bench: ExportBench;

beforeAll(async () => {
  bench = await ExportBench.open();
});

afterAll(() => bench?.close());

it('an export that is killed at any point of a write, commit or compaction loses and doubles nothing', async () => {
  expect(points.length).toBeGreaterThanOrEqual(50);
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
