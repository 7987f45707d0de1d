import { Float64Column, Uint32Column } from './columns.js';

const NONE = -1;
const { imul } = Math;

/**
 * Gives names numbers from 0, in the order of their appearance. All names lie in one buffer with a hash table (open
 * addressing): about twenty bytes a name plus its text, and nothing for the garbage collector to scan.
 */
export class NameTable {
  #bytes = Buffer.alloc(64 * 1024);
  #used = 0;
  readonly #starts = new Float64Column();
  readonly #hashes = new Uint32Column();
  /**
   * Hash table: a name number + 1, or 0 for an empty slot. Its length is a power of two; at most half of the slots
   * are used.
   */
  #slots = new Uint32Array(1024);

  constructor() {
    this.#starts.push(0);
  }

  get size(): number {
    return this.#hashes.length;
  }

  intern(bytes: Buffer, start = 0, end = bytes.length): number {
    const hash = hashOf(bytes, start, end);
    const found = this.#lookUp(hash, bytes, start, end);
    return found === NONE ? this.#add(hash, bytes, start, end) : found;
  }

  find(name: Buffer): number | undefined {
    const found = this.#lookUp(hashOf(name, 0, name.length), name, 0, name.length);
    return found === NONE ? undefined : found;
  }

  /** Returns the bytes of a name, not a copy: do not change them. */
  bytesOf(number: number): Buffer {
    return this.#bytes.subarray(this.#starts.at(number), this.#starts.at(number + 1));
  }

  textOf(number: number): string {
    return this.bytesOf(number).toString();
  }

  #lookUp(hash: number, bytes: Buffer, start: number, end: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot] ?? 0;
      if (entry === 0) return NONE;
      const number = entry - 1;
      if (this.#hashes.at(number) === hash && this.#equals(number, bytes, start, end)) return number;
    }
  }

  #equals(number: number, bytes: Buffer, start: number, end: number): boolean {
    const from = this.#starts.at(number);
    if (this.#starts.at(number + 1) - from !== end - start) return false;
    for (let at = start; at < end; at++) if (bytes[at] !== this.#bytes[from + at - start]) return false;
    return true;
  }

  #add(hash: number, bytes: Buffer, start: number, end: number): number {
    const length = end - start;
    if (this.#used + length > this.#bytes.length) {
      const grown = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#used + length));
      this.#bytes.copy(grown, 0, 0, this.#used);
      this.#bytes = grown;
    }
    bytes.copy(this.#bytes, this.#used, start, end);
    this.#used += length;
    this.#starts.push(this.#used);
    const number = this.#hashes.length;
    this.#hashes.push(hash);
    if (this.size * 2 > this.#slots.length) this.#rehash();
    else this.#place(number);
    return number;
  }

  #rehash(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let number = 0; number < this.size; number++) this.#place(number);
  }

  #place(number: number): void {
    const mask = this.#slots.length - 1;
    let slot = this.#hashes.at(number) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = number + 1;
  }
}

function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  hash = imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
