import { describe, expect, it } from '@jest/globals';
import { inParallel } from './in-parallel.js';

describe('items in parallel', () => {
  it('are all worked on, in their order, as many at a time as allowed', async () => {
    const begun: number[] = [];
    let [now, most] = [0, 0];
    await inParallel([1, 2, 3, 4, 5], 2, async (item) => {
      begun.push(item);
      most = Math.max(most, ++now);
      await Promise.resolve();
      now -= 1;
    });
    expect([begun, most]).toEqual([[1, 2, 3, 4, 5], 2]);
  });

  it('begin no other after an error', async () => {
    const begun: number[] = [];
    const working = inParallel([1, 2, 3, 4], 2, async (item) => {
      begun.push(item);
      await Promise.resolve();
      if (item === 1) throw new Error('broken');
    });
    await expect(working).rejects.toThrow('broken');
    expect(begun).not.toContain(4);
  });
});
