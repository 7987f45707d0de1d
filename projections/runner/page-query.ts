import type { ReadQuery } from './read-query.js';

/** Numbers that order the rows of an operation and that no two rows share: where a page ends and the next begins. */
export type Keyset = readonly bigint[];

export interface PageArgs {
  /** How many rows to look at, at least 1: the page is cut before rules of visibility apply. */
  readonly scan: number;
  /** Key of the row after which to begin. Undefined: the first page. */
  readonly after: Keyset | undefined;
}

/** What is to be shown of the rows that were looked at. */
export interface Scanned<Item> {
  /** In the order of the page, each with its row's key. */
  readonly items: readonly { readonly key: Keyset; readonly item: Item }[];
  /** Key of the last row that was looked at; null: there are no more rows behind it. */
  readonly last: Keyset | null;
}

/**
 * A question that is answered a page at a time. Null: what it is about is not there, or not for this caller. `Seen`: what
 * is answered of the rows that were looked at, where that is more than what is to be shown.
 */
export interface PageQuery<Args, Item, Seen extends Scanned<Item> = Scanned<Item>> extends ReadQuery<
  Args & PageArgs,
  Seen | null
> {
  /** How many numbers its keys have. */
  readonly arity: number;
}

/**
 * A key from its numbers as Postgres writes them in JSON: as text, since they may be larger than JSON's are exact.
 */
export const keysetOf = (numbers: readonly string[]): Keyset => numbers.map(BigInt);
