import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as immediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { GroupedRuns, SharedRuns } from './grouped-runs.js';

const context = new AsyncLocalStorage<number>();

/** Runs that the test ends by hand. */
function bench(most?: number) {
  const runs: { asked: readonly number[]; end: PromiseWithResolvers<readonly string[]> }[] = [];
  const contexts: (number | undefined)[] = [];
  const grouped = new GroupedRuns((asked: readonly number[]) => {
    contexts.push(context.getStore());
    const end = Promise.withResolvers<readonly string[]>();
    runs.push({ asked, end });
    return end.promise;
  }, most);
  const asked = () => runs.map((run) => run.asked);
  /** Asks in a context of its own. */
  const ask = (n: number) => context.run(n, () => grouped.run(n));
  return { runs, grouped, asked, ask, contexts };
}

it('begins at once, and groups all who ask meanwhile', async () => {
  const { runs, asked, ask, contexts } = bench();
  const first = ask(1);
  await immediate();
  expect(asked()).toEqual([[1]]);
  const others = [ask(2), ask(3)];
  await immediate();
  expect(asked()).toEqual([[1]]);
  runs[0]?.end.resolve(['one']);
  expect(await first).toBe('one');
  await immediate();
  expect(asked()).toEqual([[1], [2, 3]]);
  runs[1]?.end.resolve(['two', 'three']);
  expect(await Promise.all(others)).toEqual(['two', 'three']);
  void ask(4);
  await immediate();
  expect(asked()).toEqual([[1], [2, 3], [4]]);
  expect(contexts).toEqual([1, 2, 4]);
});

it('fails for those of the run alone, and goes on', async () => {
  const { runs, grouped } = bench();
  const first = grouped.run(1);
  await immediate();
  const second = grouped.run(2);
  runs[0]?.end.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await immediate();
  runs[1]?.end.resolve(['two']);
  expect(await second).toBe('two');
});

it('fails for a caller without an answer', async () => {
  const { runs, grouped } = bench();
  const answer = grouped.run(1);
  await immediate();
  runs[0]?.end.resolve([]);
  await expect(answer).rejects.toThrow('none for its caller 1');
});

it('fails for each caller if the work throws at once, and goes on', async () => {
  const groups: (readonly number[])[] = [];
  const grouped = new GroupedRuns((asked: readonly number[]) => {
    groups.push(asked);
    throw new Error('wrong');
  });
  const all = [1, 2].map((n) => grouped.run(n));
  await Promise.all(all.map((each) => expect(each).rejects.toThrow('wrong')));
  await expect(grouped.run(3)).rejects.toThrow('wrong');
  expect(groups).toEqual([[1, 2], [3]]);
});

it('leaves callers beyond the most of a run to the next ones', async () => {
  const { runs, asked, ask, contexts } = bench(2);
  const all = [1, 2, 3, 4, 5].map(ask);
  for (const [index, answers] of [['one', 'two'], ['three', 'four'], ['five']].entries()) {
    await immediate();
    expect(runs).toHaveLength(index + 1);
    runs[index]?.end.resolve(answers);
  }
  expect(await Promise.all(all)).toEqual(['one', 'two', 'three', 'four', 'five']);
  expect(asked()).toEqual([[1, 2], [3, 4], [5]]);
  expect(contexts).toEqual([1, 3, 5]);
});

it('runs once for a thousand callers who share one answer', async () => {
  const running: PromiseWithResolvers<number>[] = [];
  const shared = new SharedRuns(() => {
    const run = Promise.withResolvers<number>();
    running.push(run);
    return run.promise;
  });
  const first = shared.run();
  await immediate();
  const later = Array.from({ length: 1_000 }, () => shared.run());
  running[0]?.reject(new Error('failed'));
  await expect(first).rejects.toThrow('failed');
  await immediate();
  running[1]?.resolve(2);
  expect(new Set(await Promise.all(later))).toEqual(new Set([2]));
  expect(running).toHaveLength(2);
});
