import { describe, expect, it } from '@jest/globals';
import { mulberry32 } from './mulberry32.js';

const first = (seed: number, count: number) => Array.from({ length: count }, mulberry32(seed));

describe('the numbers of a seed', () => {
  // Figures in documents and the faults of a chaos seed depend on them.
  it('stay the same from release to release', () => {
    expect(first(7, 3)).toEqual([0.011704753153026104, 0.06195825757458806, 0.97690763277933]);
  });

  it('are spread from 0 to below 1', () => {
    const numbers = first(1, 10_000);
    for (let tenth = 0; tenth < 10; tenth++) {
      const inTenth = numbers.filter((number) => Math.floor(number * 10) === tenth);
      expect(inTenth.length).toBeGreaterThan(900);
    }
  });
});
