import { expect, jest, test } from '@jest/globals';
import { withIdleTicks } from './idle-ticks.js';

const sourceOf = (next: () => Promise<IteratorResult<string>>) => () => ({
  [Symbol.asyncIterator]: () => ({ next }),
});

const never = new AbortController().signal;

test('awaits a value of the source once, however long the silence before it', async () => {
  let arrive!: (result: IteratorResult<string>) => void;
  const silent = new Promise<IteratorResult<string>>((resolve) => (arrive = resolve));
  const reactions = jest.spyOn(silent, 'then');
  const seen: (string | undefined)[] = [];
  for await (const value of withIdleTicks(
    sourceOf(() => silent),
    () => 1,
    never,
  )) {
    seen.push(value);
    if (seen.length === 10) arrive({ done: false, value: 'late' });
    if (value !== undefined) break;
  }
  expect(seen.at(-1)).toBe('late');
  expect(seen.length).toBeGreaterThan(10);
  expect(reactions).toHaveBeenCalledTimes(1);
});

test('gives a fault of the source to a consumer that is busy when it comes', async () => {
  const fault = new Error('the source has failed');
  let fail!: (error: Error) => void;
  const failing = new Promise<IteratorResult<string>>((_resolve, reject) => (fail = reject));
  const consuming = (async () => {
    for await (const value of withIdleTicks(
      sourceOf(() => failing),
      () => 1,
      never,
    )) {
      expect(value).toBeUndefined();
      fail(fault);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  await expect(consuming).rejects.toBe(fault);
});
