import { digestOf } from '../runner/verification.js';
import type { TableVerification } from '../runner/verification.js';

/**
 * A profile has its newest revision; an account has its last suspension or reinstatement. An erased account keeps only
 * its mark. A build has settled all accounts before.
 */
export const profileVerifications: readonly TableVerification[] = [
  {
    table: 'actor',
    key: ['actor_id'],
    materializeAs: 'folded_actor',
    expected: `
      WITH registered AS (
        SELECT n, at, data->>'actorId' AS actor_id, data->>'handle' AS handle, data->>'displayName' AS display_name
        FROM fact WHERE type = 'account.registered' AND NOT erased
      ), profile AS (
        SELECT DISTINCT ON (data->>'actorId') data->>'actorId' AS actor_id, data
        FROM fact WHERE type = 'profile.changed' AND NOT erased AND (data->>'revision')::integer > 1
        ORDER BY data->>'actorId', (data->>'revision')::integer DESC
      ), account_state AS (
        SELECT DISTINCT ON (data->>'actorId') data->>'actorId' AS actor_id, n, type
        FROM fact WHERE type IN ('account.suspended', 'account.reinstated')
        ORDER BY data->>'actorId', n DESC
      ), erased AS (
        SELECT DISTINCT data->>'actorId' AS actor_id FROM fact WHERE type = 'account.erased'
      )
      SELECT actor_id,
        CASE WHEN profile.data IS NULL THEN handle ELSE profile.data->>'handle' END AS handle,
        coalesce(profile.data->>'displayName', display_name) AS display_name,
        coalesce(profile.data->>'bio', ${digestOf("''")}) AS bio,
        coalesce(profile.data->>'website', ${digestOf("''")}) AS website,
        coalesce((profile.data->>'revision')::integer, 1) AS revision,
        registered.at AS created_at,
        CASE WHEN account_state.type = 'account.suspended' AND account_state.n > registered.n THEN 'suspended' ELSE 'active' END AS state,
        false AS is_unsettled
      FROM registered LEFT JOIN profile USING (actor_id) LEFT JOIN account_state USING (actor_id)
      WHERE actor_id NOT IN (SELECT actor_id FROM erased)
      UNION ALL
      SELECT actor_id, NULL, ${digestOf("''")}, ${digestOf("''")}, ${digestOf("''")}, 1, 0, 'erased', false FROM erased`,
    actual: `
      SELECT actor_id, ${digestOf('handle')} AS handle, ${digestOf('display_name')} AS display_name,
        ${digestOf('bio')} AS bio, ${digestOf('website')} AS website, revision, created_at, state,
        EXISTS (SELECT FROM unsettled WHERE unsettled.actor_id = actor.actor_id) AS is_unsettled
      FROM actor`,
  },
];
