import { expect, it } from '@jest/globals';
import { SharedRuns } from './shared-runs.js';

it('runs once for all who ask during a run, after that run', async () => {
  const running: PromiseWithResolvers<number>[] = [];
  const runs = new SharedRuns(() => {
    running.push(Promise.withResolvers<number>());
    return running.at(-1)!.promise;
  });
  const first = runs.run();
  const later = Array.from({ length: 1_000 }, () => runs.run());
  expect(running).toHaveLength(1);
  running[0]!.reject(new Error('failed'));
  await expect(first).rejects.toThrow('failed');
  await Promise.resolve();
  expect(running).toHaveLength(2);
  running[1]!.resolve(2);
  expect(new Set(await Promise.all(later))).toEqual(new Set([2]));
  void runs.run();
  expect(running).toHaveLength(3);
});
