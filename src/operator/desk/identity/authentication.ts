import { createHash, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { operatorSecretHash } from '../../../commands/operator/secrets.js';
import type { Clock } from '../../../base/support/clock.js';
import { limitedSharedToken } from '../../../domain/operator/roles.js';
import type { Role } from '../../../domain/operator/roles.js';
import type { RestrictionProof } from '../../../doors/api/admission/restriction-proof.js';
import { HttpRefusal } from '../../../server/errors.js';
import { PERSONAL_TOKEN_PREFIX } from '../../../launch/shared-token.js';
import type { EventLog } from '../../../log/event-log.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { isUnreachable } from '../../../base/store/unreachable.js';
import type { Witness } from '../../../log/witness/witness.js';
import type { Admission } from '../act.js';
import type { Caller } from '../caller.js';
import type { Session, Sessions } from './sessions.js';
import { isProven } from './proven.js';
import { isLimitWitnessed, requireNotEnded, witnessedFourEyes } from './ended-operators.js';

interface AuthenticationOptions {
  readonly sharedToken: string;
  readonly store: AuthorityStore;
  readonly pool: Pool;
  readonly log: EventLog;
  readonly witness: Witness;
  readonly proof: RestrictionProof;
  readonly sessions: Sessions;
  readonly clock: Clock;
}

interface TokenRow {
  readonly token_id: string;
  readonly expires_at: string;
  readonly revoked_at: string | null;
  readonly operator_id: string;
  readonly roles: readonly Role[];
  readonly suspended: boolean;
  readonly is_enrolled: boolean;
  readonly is_used: boolean;
}

/** $1: hash of the token. $2: today. */
const tokenByHash = {
  name: 'operator-token.by-hash',
  text: `SELECT token.token_id, token.expires_at, token.revoked_at, operator.operator_id, operator.roles,
      operator.suspended, operator.enrolled_at IS NOT NULL AS is_enrolled,
      coalesce(token_use.last_used_on >= $2::date, false) AS is_used
    FROM authority.operator_token token
    JOIN authority.operator ON operator.operator_id = token.operator_id
    LEFT JOIN authority.operator_token_use token_use ON token_use.token_id = token.token_id
    WHERE token.token_hash = $1`,
};

/** A row for each token and day, not for each request. */
const useToken = {
  name: 'operator-token.use',
  text: `INSERT INTO authority.operator_token_use (token_id, last_used_on) VALUES ($1, $2::date)
    ON CONFLICT (token_id) DO UPDATE SET last_used_on = EXCLUDED.last_used_on
    WHERE operator_token_use.last_used_on < EXCLUDED.last_used_on`,
};

/** While four-eyes is on, it counts as limited: otherwise it alone could suspend those who approve. */
const limitOfSharedToken = {
  name: 'shared-token.limit',
  text: `SELECT FROM authority.shared_token
    UNION ALL SELECT FROM authority.four_eyes WHERE batch_items IS NOT NULL`,
};

/** Finds the sender of a request by the bearer token, or by the session of the console. */
export class Authentication {
  private readonly shared: Buffer;

  constructor(private readonly options: AuthenticationOptions) {
    this.shared = digest(`Bearer ${options.sharedToken}`);
  }

  /** @throws {HttpRefusal} and errors of the stores. */
  async callerOf(authorization: string | undefined, may: Admission | undefined): Promise<Caller> {
    if (authorization === undefined)
      throw new HttpRefusal('authentication_required', 'Send the operator token as a bearer token.');
    // In constant time, since the shared token is stored as it is.
    if (timingSafeEqual(digest(authorization), this.shared)) return this.sharedCaller(may);
    const [scheme, token = ''] = authorization.split(' ', 2);
    if (scheme !== 'Bearer' || !token.startsWith(PERSONAL_TOKEN_PREFIX))
      throw new HttpRefusal(
        'invalid_token',
        'This is not the operator token; see OPERATOR_TOKEN or DATA_DIR/operator.token.',
      );
    return this.operatorWith(token);
  }

  /** The session of a secret in the console's cookie; undefined: it ended. @throws as {@link callerOf} */
  async sessionOf(secret: string, { isUse = true } = {}): Promise<Session | undefined> {
    const { sessions, log, witness } = this.options;
    const session = await sessions.find(secret, isUse);
    if (!session) return undefined;
    const { operatorId, passkeyId: id } = session;
    if (!(await isProven(this.options))) await requireNotEnded({ log, witness }, { operatorId, id });
    return session;
  }

  private async sharedCaller(may: Admission | undefined): Promise<Caller> {
    if (isEmergency(may)) return { kind: 'shared', isLimited: true };
    try {
      return { kind: 'shared', isLimited: await this.isSharedTokenLimited() };
    } catch (fault) {
      if (!(fault instanceof Error) || !isUnreachable(fault)) throw fault;
      return { kind: 'shared', isLimited: true, fault };
    }
  }

  private async isSharedTokenLimited(): Promise<boolean> {
    const { store, witness } = this.options;
    if ((await store.rows(limitOfSharedToken, [])).length > 0) return true;
    if (await isProven(this.options)) return false;
    return (await isLimitWitnessed(witness)) || (await witnessedFourEyes(witness))?.batchItems !== undefined;
  }

  private async operatorWith(token: string): Promise<Caller> {
    const { store, log, witness, clock } = this.options;
    const now = clock.now();
    const today = new Date(now).toISOString().slice(0, 10);
    const [row] = await store.rows<TokenRow>(tokenByHash, [operatorSecretHash(token), today]);
    if (!row) throw invalid('This token is unknown.');
    if (row.revoked_at !== null) throw invalid('This token is revoked.');
    if (Number(row.expires_at) <= now) throw invalid('This token has expired; ask an administrator.');
    if (row.suspended || !row.is_enrolled) throw invalid('This operator is suspended.');
    const { operator_id: operatorId, token_id: tokenId, roles } = row;
    if (!(await isProven(this.options))) await requireNotEnded({ log, witness }, { operatorId, id: tokenId });
    if (!row.is_used) await store.rows(useToken, [tokenId, today]);
    return { kind: 'operator', operatorId, roles };
  }
}

/**
 * True for acts that the limited token may do, too: a recovery needs no answer of a store to be admitted. An invitation
 * depends on the limit, because an administrator must confirm that of a limited token.
 */
const isEmergency = (may: Admission | undefined): boolean =>
  may !== 'operators.invite' && (limitedSharedToken as readonly unknown[]).includes(may);

const invalid = (message: string): HttpRefusal => new HttpRefusal('invalid_token', message);

/** `timingSafeEqual` needs inputs of equal length. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
