import type { Pool } from 'pg';
import type { Clock } from '../../commands/ambient.js';
import { isUnreachable } from '../../store/unreachable.js';
import { HttpRefusal } from '../errors.js';
import { callerSql } from './admission-sql.js';
import { authorityOf } from './authority.js';
import type { Caller, CallerRow } from './authority.js';
import type { Credential } from './credential.js';

/** Asks, at the moment of the request, whether a token, its grant, actor and application are live and have a scope. */
export class MutationAdmission {
  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  /** @throws {HttpRefusal} why not; `authority_unavailable` if nobody can tell. */
  async admit(credential: Credential, scope: string): Promise<Caller> {
    if (!credential)
      throw new HttpRefusal(
        'authentication_required',
        'Send an access token: Authorization: Bearer <token>.',
      );
    const row = await this.find(credential.tokenHash);
    return authorityOf(row ?? nobody, scope);
  }

  private async find(tokenHash: Buffer): Promise<CallerRow | undefined> {
    try {
      const { rows } = await this.pool.query<CallerRow>({
        name: 'mutation-admission',
        text: callerSql,
        values: [tokenHash, this.clock.now()],
      });
      return rows[0];
    } catch (cause) {
      if (!isUnreachable(cause)) throw cause;
      throw new HttpRefusal('authority_unavailable', 'Your authority cannot be checked now; retry later.', {
        cause,
      });
    }
  }
}

const nobody: CallerRow = {
  actor_id: null,
  app_id: null,
  grant_id: null,
  scopes: null,
  expires_at: null,
  token_live: null,
  authority_live: null,
};
