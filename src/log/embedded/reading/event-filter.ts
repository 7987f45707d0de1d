import type { EventIndex } from '../storage/event-index.js';

/** What a filter looks at: names that begin like one of the prefixes, or that match the expression. */
export interface FilterOptions {
  on: 'stream' | 'type';
  matches: { prefixes: readonly string[] } | { regex: RegExp };
}

/** Decides by the index alone, without reading the event. */
export type EventFilter = (ordinal: number) => boolean;

export function eventFilter(index: EventIndex, { on, matches }: FilterOptions): EventFilter {
  const names = on === 'stream' ? index.streams : index.types;
  const numberOf = (ordinal: number): number =>
    on === 'stream' ? index.streamOf(ordinal) : index.typeOf(ordinal);
  if ('regex' in matches) {
    const { regex } = matches;
    return (ordinal) => regex.test(names.textOf(numberOf(ordinal)));
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
