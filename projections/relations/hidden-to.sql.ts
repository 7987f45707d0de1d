/**
 * The mark of an account whose state has changed, while steps after the batch change the counts of its followers and
 * of those it follows (docs/adr/0040). Follows up to it, by time and position, are hidden from these counts; later ones
 * are not. So each count is exact at every moment, however the account changes meanwhile. Null: the account is settled,
 * and its state says whether its follows are hidden.
 */

/** Before and after all follows; the position does not matter then. */
export const HIDES_NONE = '-1';
const HIDES_ALL = '9223372036854775807';

/** `hidden_to_at` of a row of the table `actor` in the update that changes its state. */
export const HIDDEN_TO = `coalesce(actor.hidden_to_at, CASE actor.state WHEN 'active' THEN ${HIDES_NONE} ELSE ${HIDES_ALL} END)`;

/** True if `other`, an account, hides `follow`, a row of a follow of or by it, from the counts of the other side. */
export const isCountedAsHidden = (follow: string, other: string): string => `coalesce((
    SELECT CASE WHEN account.hidden_to_at IS NULL THEN account.state <> 'active'
      ELSE ${isUpTo(follow, 'account')} END
    FROM actor account WHERE account.actor_id = ${other}), false)`;

/** `comparison`: `<=` for the follows up to the mark of the account, `>` for those behind it. */
export const isUpTo = (follow: string, account: string, comparison: '<=' | '>' = '<='): string =>
  `(${follow}.created_at, ${follow}.position) ${comparison} (${account}.hidden_to_at, ${account}.hidden_to_position)`;
