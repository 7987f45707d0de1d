import { HttpRefusal } from '../server/errors.js';
import type { AdmissionRow } from './admission-sql.js';

export interface Caller {
  readonly actorId: string;
  readonly appId: string;
  readonly grantId: string;
  readonly scopes: readonly string[];
  /** End of the access token: Unix milliseconds. */
  readonly expiresAt: number;
}

export type CallerRow = Pick<
  AdmissionRow,
  'actor_id' | 'app_id' | 'grant_id' | 'scopes' | 'expires_at' | 'token_live' | 'authority_live'
>;

/** The refusal of a live token. Its caller is known, so it counts against the caller's own budget. */
export class CallerRefusal extends HttpRefusal {
  constructor(
    readonly caller: Caller,
    ...refusal: ConstructorParameters<typeof HttpRefusal>
  ) {
    super(...refusal);
  }
}

/**
 * Checks a bearer credential in the order of docs/api-decisions.md, "Errors".
 * @throws {HttpRefusal} `invalid_token`. @throws {CallerRefusal} any other.
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
