import { CallerRefusal } from '../limits/caller.js';
import type { Caller } from '../limits/caller.js';
import { HttpRefusal } from '../../../server/errors.js';
import type { AdmissionRow } from './admission-sql.js';

export type CallerRow = Pick<
  AdmissionRow,
  'actor_id' | 'app_id' | 'grant_id' | 'scopes' | 'expires_at' | 'token_live' | 'authority_live'
>;

/**
 * Returns the caller of an access token, after checks in the order of docs/api-decisions.md, "Errors".
 * @throws {HttpRefusal} `invalid_token`.
 * @throws {CallerRefusal} `social_authority_required`, `capability_required`.
 */
export function requireAuthority(row: CallerRow, scope: string | undefined): Caller {
  const { actor_id: actorId, app_id: appId, grant_id: grantId, scopes } = row;
  if (!row.token_live || actorId === null || appId === null || grantId === null || scopes === null)
    throw new HttpRefusal(
      'invalid_token',
      'The access token is unknown, expired or revoked; refresh it or sign in.',
    );
  const caller: Caller = { actorId, appId, grantId, scopes, expiresAt: Number(row.expires_at) };
  if (!row.authority_live)
    throw new CallerRefusal(
      caller,
      'social_authority_required',
      'The account or the application is suspended.',
    );
  if (scope !== undefined && !scopes.includes(scope))
    throw new CallerRefusal(
      caller,
      'capability_required',
      `The grant lacks the scope ${scope}; ask for it in a new sign-in.`,
    );
  return caller;
}
