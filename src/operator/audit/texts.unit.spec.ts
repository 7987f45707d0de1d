import { describe, expect, it } from '@jest/globals';
import { runsOf } from './texts.js';

const runs = (...revisions: bigint[]) =>
  runsOf(revisions.map((revision) => ({ revision }))).map(({ from, to }) => [from, to]);

describe('the reads of a stream', () => {
  it('are one for events near to each other, in any order', () => {
    expect(runs(7n, 0n, 3n)).toEqual([[0n, 7n]]);
    expect(runs()).toEqual([]);
  });

  it('leave out what lies between events far apart', () => {
    expect(runs(5_000n, 1n, 5_016n, 5_033n)).toEqual([
      [1n, 1n],
      [5_000n, 5_016n],
      [5_033n, 5_033n],
    ]);
  });
});
