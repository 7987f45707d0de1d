export interface EpochRange {
  readonly after: bigint;
  readonly upTo: bigint;
}

/**
 * Digest of the restrictions of a range of epochs, in the witness or in the read models: only if the two differ are they
 * compared one by one. `newest`: the greatest epoch.
 */
export interface Digest {
  readonly digest: string;
  readonly newest: bigint | undefined;
}

export interface RestrictionsDigestRow {
  readonly digest: string;
  readonly newest: string | null;
}

/**
 * Columns of a {@link RestrictionsDigestRow}: sums of Postgres' own hashes. Different Postgres versions may disagree on equal data;
 * the restrictions are then compared one by one.
 */
export function digestSql({ id, epoch }: { readonly id: string; readonly epoch: string }): string {
  const hashed = (sign: string) => `sum(uuid_hash_extended(${id}, ${sign}${epoch}::bigint))`;
  return `concat_ws(' ', count(*), ${hashed('')}, ${hashed('-')}) AS digest, max(${epoch}) AS newest`;
}

export const digestIn = (row: RestrictionsDigestRow | undefined): Digest => ({
  digest: row?.digest ?? '',
  newest: row === undefined || row.newest === null ? undefined : BigInt(row.newest),
});
