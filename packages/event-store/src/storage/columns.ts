/**
 * Columns of numbers that grow, 4 or 8 bytes a value. They lie outside of the heap that the garbage collector scans.
 */

const FIRST_CAPACITY = 1024;

class Column<A extends Uint32Array | Float64Array> {
  #values: A;
  length = 0;

  constructor(private readonly allocate: (capacity: number) => A) {
    this.#values = allocate(FIRST_CAPACITY);
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const grown = this.allocate(this.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.length++] = value;
  }

  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  set(index: number, value: number): void {
    if (index >= this.length)
      throw new RangeError(`cannot replace value ${index} of a column of ${this.length} values`);
    this.#values[index] = value;
  }
}

export class Uint32Column extends Column<Uint32Array> {
  constructor() {
    super((capacity) => new Uint32Array(capacity));
  }
}

export class Float64Column extends Column<Float64Array> {
  constructor() {
    super((capacity) => new Float64Array(capacity));
  }
}
