import { expect, it } from '@jest/globals';
import { GroupedRuns } from './grouped-runs.js';

/** Runs that the test ends by hand. */
function bench() {
  const runs: { asked: readonly number[]; end: PromiseWithResolvers<readonly string[]> }[] = [];
  const grouped = new GroupedRuns((asked: readonly number[]) => {
    const end = Promise.withResolvers<readonly string[]>();
    runs.push({ asked, end });
    return end.promise;
  });
  const asked = () => runs.map((run) => run.asked);
  return { runs, grouped, asked };
}

it('begins at once, and groups all who ask meanwhile', async () => {
  const { runs, grouped, asked } = bench();
  const answers = [1, 2, 3].map((n) => grouped.run(n));
  expect(asked()).toEqual([[1]]);
  runs[0]?.end.resolve(['one']);
  expect(await answers[0]).toBe('one');
  expect(asked()).toEqual([[1], [2, 3]]);
  runs[1]?.end.resolve(['two', 'three']);
  expect(await Promise.all(answers)).toEqual(['one', 'two', 'three']);
  void grouped.run(4);
  expect(asked()).toEqual([[1], [2, 3], [4]]);
});

it('fails for those of the run alone, and goes on', async () => {
  const { runs, grouped } = bench();
  const [first, second] = [grouped.run(1), grouped.run(2)];
  runs[0]?.end.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  runs[1]?.end.resolve(['two']);
  expect(await second).toBe('two');
});

it('fails for a caller without an answer', async () => {
  const { runs, grouped } = bench();
  const answer = grouped.run(1);
  runs[0]?.end.resolve([]);
  await expect(answer).rejects.toThrow('none for its caller 1');
});
