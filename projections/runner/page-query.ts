import type { ReadQuery } from './read-query.js';

export type Keyset = readonly bigint[];

export interface PageArgs {
  /** Rows to read, at least 1. Visibility rules apply afterwards, so a page may show fewer. */
  readonly scan: number;
  readonly after: Keyset | undefined;
}

/**
 * The visible items of the scanned rows, in page order. `last`: key of the last scanned row; null if no rows follow.
 */
export interface ScannedPage<Item> {
  readonly items: readonly { readonly key: Keyset; readonly item: Item }[];
  readonly last: Keyset | null;
}

/**
 * A read that returns one page. Null: the subject does not exist, or the caller must not see it. `Page`: the type of
 * the answer, where it has more than the visible items.
 */
export interface PageQuery<Args, Item, Page extends ScannedPage<Item> = ScannedPage<Item>> extends ReadQuery<
  Args & PageArgs,
  Page | null
> {
  readonly arity: number;
}

/**
 * Parses the key of a page. Postgres writes its numbers as JSON text, since they may exceed the exact range of JSON
 * numbers.
 */
export const keysetOf = (numbers: readonly string[]): Keyset => numbers.map(BigInt);
