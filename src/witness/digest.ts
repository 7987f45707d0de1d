/** Numbers of restrictions: those greater than the one, and up to the other. */
export interface Range {
  readonly after: bigint;
  readonly upTo: bigint;
}

/** Which restrictions have numbers of a range: the same text where they are the same, by ids and numbers. */
export interface Digest {
  readonly digest: string;
  /** The greatest of their numbers; undefined: there are none. */
  readonly newest: bigint | undefined;
}

export interface DigestRow {
  readonly digest: string;
  readonly newest: string | null;
}

/**
 * Columns of a {@link DigestRow} over rows of restrictions, of Postgres' own hashes, added up. Servers of different making
 * may disagree where nothing differs, which costs a look at each.
 */
export function digestSql({ id, epoch }: { readonly id: string; readonly epoch: string }): string {
  const hashed = (sign: string) => `sum(uuid_hash_extended(${id}, ${sign}${epoch}::bigint))`;
  return `concat_ws(' ', count(*), ${hashed('')}, ${hashed('-')}) AS digest, max(${epoch}) AS newest`;
}

export const digestIn = (row: DigestRow | undefined): Digest => ({
  digest: row?.digest ?? '',
  newest: row === undefined || row.newest === null ? undefined : BigInt(row.newest),
});
