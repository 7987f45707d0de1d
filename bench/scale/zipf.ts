import type { Random } from '../audit/random.js';

/** Returns a source of numbers below `count` by Zipf's law: number n comes 1 / (n + 1) times as often as 0. */
export function zipfBelow(count: number, random: Random): () => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let n = 0; n < count; n++) sums[n] = sum += 1 / (n + 1);
  return () => {
    const drawn = random.next() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((sums[middle] ?? 0) > drawn) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
