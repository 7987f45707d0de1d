import { mulberry32 } from '../src/base/support/mulberry32.js';

export class Random {
  readonly next: () => number;

  constructor(seed: number) {
    this.next = mulberry32(seed);
  }

  /** Includes both ends. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.between(0, items.length - 1)];
  }

  /** Picks a name with a probability by its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][];
    let rest = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) if ((rest -= weight) < 0) return name;
    throw new Error('nothing has a weight');
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    const left = [...items];
    return items.map(() => left.splice(this.between(0, left.length - 1), 1)[0] as Item);
  }

  /** Returns a sequence that is independent of further numbers of this one. */
  fork(): Random {
    return new Random(this.between(0, 2 ** 31));
  }
}
