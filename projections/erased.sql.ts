/**
 * True if the tables in the search path mark `actor` (an SQL expression) as erased. Every statement that writes
 * personal data needs this check: the key may have been destroyed after the event was read. `state <> 'active'` selects
 * the small index of inactive accounts.
 */
export const isErased = (actor: string): string => `EXISTS (
    SELECT FROM actor erased_actor
    WHERE erased_actor.actor_id = ${actor} AND erased_actor.state <> 'active' AND erased_actor.state = 'erased' OFFSET 0)`;
