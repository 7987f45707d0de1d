import { expect, it } from '@jest/globals';
import { rankTest } from './rank-test.js';

const from = (first: number, step: number) => Array.from({ length: 30 }, (_, n) => first + n * step);

it('tells apart what differs, and nothing else', () => {
  expect(rankTest(from(0, 2), from(1, 2))).toBeGreaterThan(0.5);
  expect(rankTest(from(0, 1), from(8, 1))).toBeLessThan(0.01);
  expect(rankTest(from(8, 1), from(0, 1))).toBeLessThan(0.01);
  expect(rankTest([1, 1, 1], [1, 1, 1])).toBe(1);
});

it('agrees with a table: U = 6 of 8 and 8 values', () => {
  // As scipy.stats.mannwhitneyu(method="asymptotic", use_continuity=False) has it.
  const [one, two] = [
    [1, 2, 3, 4, 5, 6, 7, 12],
    [6.5, 8, 9, 10, 11, 13, 14, 15],
  ];
  expect(rankTest(one, two)).toBeCloseTo(0.0063, 3);
});
