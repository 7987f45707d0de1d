/**
 * The expected rows of a table, as one query over the whole log. The query comes from the rules of the domain and
 * shares no code with the handlers and statements. A fault in one of the two therefore shows (docs/adr/0012).
 *
 * Queries may read {@link STAGED_LOG}, the tables of the incarnation, and rows that earlier verifications materialized.
 */
export interface TableVerification {
  readonly table: string;
  readonly key: readonly string[];
  /** SQL of the expected rows. Personal texts appear as {@link digestOf}, since the staged log has only digests. */
  readonly expected: string;
  /** SQL of the table's rows, with the same columns. Excludes rows that are optional, and explains why. */
  readonly actual: string;
  readonly materializeAs?: string;
}

/**
 * The events of the group up to the incarnation's position, in the order of `n`. `actor_id`, `app_id` and `intent_id`
 * come from the metadata. `data` has digests in place of personal texts.
 */
export const STAGED_LOG = `
  CREATE UNLOGGED TABLE fact (
    n bigint NOT NULL,
    position numeric NOT NULL,
    revision numeric NOT NULL,
    event_id uuid NOT NULL,
    type text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    actor_id text COLLATE "C",
    app_id text COLLATE "C",
    intent_id text COLLATE "C",
    witness_epoch numeric,
    erased boolean NOT NULL,
    data jsonb NOT NULL
  )`;

/** Actors of whom no table may keep data. Reads the rows that the verification of `actor` has materialized before. */
export const ERASED_ACTORS = `(SELECT actor_id FROM folded_actor WHERE state = 'erased')`;

export const SUSPENDED_ACTORS = `(SELECT actor_id FROM folded_actor WHERE state = 'suspended')`;

export const digestOf = (text: string): string => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;
