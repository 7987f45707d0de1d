/**
 * Accounts whose state has changed, until {@link Projection.settling} has worked that into the rows of others. The keys
 * (created_at, position) of follows up to (`hidden_to_at`, `hidden_to_position`) count as hidden by the account, later
 * ones do not. So the counts of others are exact at every moment, whichever way the account changes meanwhile. Null: they
 * all count by the state of the account.
 */

const [NONE, ALL] = ['-1', '9223372036854775807'];

/** `hidden_to_at` of a row of the table `actor` in the update that changes its state. */
export const HIDDEN_TO = `coalesce(actor.hidden_to_at, CASE actor.state WHEN 'active' THEN ${NONE} ELSE ${ALL} END)`;

/** Whether `other`, an account, hides `follow`, a row of a follow of or by it, from the counts of the other side. */
export const isCountedAsHidden = (follow: string, other: string): string => `coalesce((
    SELECT CASE WHEN account.hidden_to_at IS NULL THEN account.state <> 'active'
      ELSE ${isUpTo(follow, 'account')} END
    FROM actor account WHERE account.actor_id = ${other}), false)`;

/** `comparison`: `<=` for the follows up to the mark of the account, `>` for those behind it. */
export const isUpTo = (follow: string, account: string, comparison: '<=' | '>' = '<='): string =>
  `(${follow}.created_at, ${follow}.position) ${comparison} (${account}.hidden_to_at, ${account}.hidden_to_position)`;
