import { mulberry32 } from '../../src/base/support/mulberry32.js';

export class Random {
  readonly next: () => number;

  constructor(seed: number) {
    this.next = mulberry32(seed);
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** Few numbers often, most rarely. */
  skewedBelow(count: number): number {
    return Math.floor(count * this.next() ** 3);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  of<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }
}
