/**
 * Whether the account of `actor` (an SQL expression) is erased, as the tables of the schema in which a statement runs
 * know it. Whatever writes something of a person asks, since an event may have been read while the key was still there,
 * and is applied when it is not. By the index of the few who are not active.
 */
export const isErased = (actor: string): string => `EXISTS (
    SELECT FROM actor erased_actor
    WHERE erased_actor.actor_id = ${actor} AND erased_actor.state <> 'active' AND erased_actor.state = 'erased' OFFSET 0)`;

/** The same of whoever is suspended or erased: nobody may see them. */
export const isNotActive = (actor: string): string => `EXISTS (
    SELECT FROM actor hidden_actor
    WHERE hidden_actor.actor_id = ${actor} AND hidden_actor.state <> 'active' OFFSET 0)`;
