import type { EventIndex } from '../storage/event-index.js';

export interface FilterOptions {
  on: 'stream' | 'type';
  matches: { prefixes: readonly string[] } | { regex: RegExp };
}

export type EventFilter = (ordinal: number) => boolean;

export function eventFilter(index: EventIndex, { on, matches }: FilterOptions): EventFilter {
  const names = on === 'stream' ? index.streams : index.types;
  const numberOf = (ordinal: number): number =>
    on === 'stream' ? index.streamOf(ordinal) : index.typeOf(ordinal);
  if ('regex' in matches) {
    const { regex } = matches;
    const cache = new MatchCache();
    return (ordinal) => {
      const name = numberOf(ordinal);
      return cache.get(name) ?? cache.set(name, regex.test(names.textOf(name)));
    };
  }
  const prefixes = matches.prefixes.map((prefix) => Buffer.from(prefix));
  return (ordinal) => {
    const name = names.bytesOf(numberOf(ordinal));
    return prefixes.some(
      (prefix) =>
        name.length >= prefix.length && name.compare(prefix, 0, prefix.length, 0, prefix.length) === 0,
    );
  };
}

/** Remembers for each name number whether the expression matches: most events share their name with earlier ones. */
class MatchCache {
  #values = new Uint8Array(256);

  get(name: number): boolean | undefined {
    const value = this.#values[name] ?? 0;
    return value === 0 ? undefined : value === 1;
  }

  set(name: number, matches: boolean): boolean {
    if (name >= this.#values.length) {
      const grown = new Uint8Array(Math.max(name + 1, this.#values.length * 2));
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[name] = matches ? 1 : 2;
    return matches;
  }
}
