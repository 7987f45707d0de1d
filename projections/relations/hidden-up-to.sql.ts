/**
 * The marks of accounts whose state has changed, while steps after the batch change the counts of their followers and
 * of those they follow (docs/adr/0040): rows of the table `unsettled`. Follows up to a mark, by time and position, are
 * hidden from these counts; later ones are not. So each count is exact at every moment, however the account changes
 * meanwhile. Without a row the account is settled, and its state says whether its follows are hidden.
 */

/** Before and after all follows; the position does not matter then. */
const [HIDES_NONE, HIDES_ALL] = ['-1', '9223372036854775807'];

/** Marks accounts in the statement that changes their state. `changed`: rows with `actor_id` and the `state` before. */
export const markUnsettled = (changed: string): string => `
      INSERT INTO unsettled (actor_id, up_to_at, up_to_position)
      SELECT actor_id, CASE state WHEN 'suspended' THEN ${HIDES_ALL} ELSE ${HIDES_NONE} END, 0 FROM ${changed}
      ON CONFLICT DO NOTHING`;

/** True if `other`, an account, hides `follow`, a row of a follow of or by it, from the counts of the other side. */
export const isCountedAsHidden = (follow: string, other: string): string => `coalesce(
    (SELECT ${isUpTo(follow, 'unsettled')} FROM unsettled WHERE unsettled.actor_id = ${other}),
    (SELECT account.state <> 'active' FROM actor account WHERE account.actor_id = ${other}), false)`;

/** `comparison`: `<=` for the follows up to the mark in a row of `unsettled`, `>` for those behind it. */
export const isUpTo = (follow: string, mark: string, comparison: '<=' | '>' = '<='): string =>
  `(${follow}.created_at, ${follow}.position) ${comparison} (${mark}.up_to_at, ${mark}.up_to_position)`;
