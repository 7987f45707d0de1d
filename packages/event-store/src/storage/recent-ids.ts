import { EVENT_ID_LENGTH } from './event-id.js';

const { imul } = Math;

/**
 * Ids of the latest events (131,072 by default), for repeated appends without an expected revision. Bounded as in
 * EventStoreDB: an append that repeats an older one is stored as a new append.
 *
 * A ring of ids by event ordinal, with hash chains: adding an id evicts the oldest in constant time.
 */
export class RecentIds {
  readonly #capacity: number;
  readonly #ids: Buffer;
  /**
   * `#heads`: slot + 1 of the latest id of each hash chain. `#older`: slot + 1 of the next older id in the chain of
   * each slot. 0: none.
   */
  readonly #heads: Uint32Array;
  readonly #older: Uint32Array;
  #count = 0;

  constructor(capacity = 1 << 17) {
    this.#capacity = capacity;
    this.#ids = Buffer.alloc(capacity * EVENT_ID_LENGTH);
    this.#heads = new Uint32Array(capacity);
    this.#older = new Uint32Array(capacity);
  }

  push(bytes: Buffer, start: number): void {
    const slot = this.#count & (this.#capacity - 1);
    if (this.#count >= this.#capacity) this.#unlink(slot);
    bytes.copy(this.#ids, slot * EVENT_ID_LENGTH, start, start + EVENT_ID_LENGTH);
    const chain = this.#chainOf(this.#ids, slot * EVENT_ID_LENGTH);
    this.#older[slot] = this.#heads[chain] ?? 0;
    this.#heads[chain] = slot + 1;
    this.#count++;
  }

  find(id: string): number | undefined {
    const wanted = Buffer.from(id, 'latin1');
    for (
      let link = this.#heads[this.#chainOf(wanted, 0)] ?? 0;
      link !== 0;
      link = this.#older[link - 1] ?? 0
    ) {
      const start = (link - 1) * EVENT_ID_LENGTH;
      if (this.#ids.compare(wanted, 0, EVENT_ID_LENGTH, start, start + EVENT_ID_LENGTH) === 0) {
        return this.#ordinalOf(link - 1);
      }
    }
    return undefined;
  }

  #ordinalOf(slot: number): number {
    const latest = this.#count - 1;
    return latest - ((latest - slot) & (this.#capacity - 1));
  }

  /** Removes the id of this slot from its chain: it is the oldest of all, and so the last of the chain. */
  #unlink(slot: number): void {
    const chain = this.#chainOf(this.#ids, slot * EVENT_ID_LENGTH);
    if (this.#heads[chain] === slot + 1) {
      this.#heads[chain] = 0;
      return;
    }
    let link = this.#heads[chain] ?? 0;
    while (link !== 0 && this.#older[link - 1] !== slot + 1) link = this.#older[link - 1] ?? 0;
    if (link !== 0) this.#older[link - 1] = 0;
  }

  #chainOf(bytes: Buffer, start: number): number {
    let hash = 0;
    for (let at = start; at < start + EVENT_ID_LENGTH; at++) hash = (imul(hash, 31) + (bytes[at] ?? 0)) | 0;
    return (hash ^ (hash >>> 15)) & (this.#capacity - 1);
  }
}
