import { createHash } from 'node:crypto';
import { mulberry32 } from '../../base/support/mulberry32.js';

export class Random {
  readonly next: () => number;

  constructor(seed: number) {
    this.next = mulberry32(seed);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** An index, each with its weight. */
  weighted(weights: readonly number[]): number {
    let left = this.next() * weights.reduce((sum, weight) => sum + weight, 0);
    const index = weights.findIndex((weight) => (left -= weight) < 0);
    return index < 0 ? weights.length - 1 : index;
  }

  /** Around `mean`, never below 0. */
  count(mean: number): number {
    let [count, left] = [0, Math.exp(-mean)];
    for (let sum = left, drawn = this.next(); drawn > sum && count < 50; sum += left) {
      count += 1;
      left *= mean / count;
    }
    return count;
  }
}

export function idOf(kind: string, number: number): string {
  const digest = createHash('sha256').update(`${kind} ${number}`).digest('hex');
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}
