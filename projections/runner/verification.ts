/**
 * What a table must hold, as one query over the whole log: written from the rules of the domain, and sharing nothing with
 * the handlers and statements that keep the table up to date, so that a fault in one of the two is seen (docs/adr/0012).
 *
 * The queries find the log as {@link STAGED_LOG}, the tables of the incarnation, and kept folds that stand before them.
 */
export interface TableVerification {
  readonly table: string;
  /** Columns that tell people which row it is. */
  readonly key: readonly string[];
  /** SQL of the rows that must be there. A text of a person is its {@link digestOf}: the staged log has no others. */
  readonly expected: string;
  /** SQL of the rows that are there, with the same columns. Leaves out what the table may hold or not, and says why. */
  readonly actual: string;
  /** Name under which later folds find the expected rows. */
  readonly materializeAs?: string;
}

/**
 * The events of the group up to the incarnation's position. `n` is their order; `actor_id`, `app_id` and `intent_id` are
 * of the metadata; `data` has digests in place of personal texts.
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

/** SQL of who is erased, behind the fold of `actor`: of them there is nothing left in any table. */
export const ERASED = `(SELECT actor_id FROM folded_actor WHERE state = 'erased')`;

/** SQL of who is suspended, behind the same fold. */
export const SUSPENDED = `(SELECT actor_id FROM folded_actor WHERE state = 'suspended')`;

/** SQL of the digest of a text that is not null: SHA-256 in hexadecimal. */
export const digestOf = (text: string): string => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;
