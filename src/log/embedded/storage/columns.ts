/** Growing columns of numbers, out of the garbage collector's sight: 4 or 8 bytes a value, a million values at no pause. */

const FIRST_CAPACITY = 1024;

export class Uint32Column {
  #values = new Uint32Array(FIRST_CAPACITY);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const grown = new Uint32Array(this.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.length++] = value;
  }

  /** The value at an index that was pushed before. */
  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }
}

export class Float64Column {
  #values = new Float64Array(FIRST_CAPACITY);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const grown = new Float64Array(this.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.length++] = value;
  }

  /** The value at an index that was pushed before. */
  at(index: number): number {
    return this.#values[index] ?? 0;
  }
}
