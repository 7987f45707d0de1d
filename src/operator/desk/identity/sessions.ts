import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/support/clock.js';
import type { Role } from '../../../domain/operator/roles.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import type { ProvenPasskey } from './passkeys.js';

/** NIST SP 800-63B-4, section 2.2.3, recommends an overall limit below a day and an hour of inactivity. */
const SESSION_MS = 12 * 60 * 60_000;
const IDLE_MS = 60 * 60_000;
/** A use is stored once a minute, and not at each request. */
const USE_INTERVAL_MS = 60_000;

/** `expiresAt`: Unix milliseconds. */
export interface Session extends ProvenPasskey {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly expiresAt: number;
}

interface Row {
  readonly operator_id: string;
  readonly passkey_id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly used_at: string;
  readonly expires_at: string;
}

const insertSession = {
  name: 'operator-session.insert',
  text: `INSERT INTO authority.operator_session (session_hash, operator_id, passkey_id, signed_in_at, used_at, expires_at)
    VALUES ($1, $2, $3, $4, $4, $5)`,
};

/** $2: now. $3: time of the last use after which the session is idle for too long. */
const sessionByHash = {
  name: 'operator-session.by-hash',
  text: `SELECT operator_id, passkey_id, operator.name, operator.roles, used_at, expires_at
    FROM authority.operator_session session JOIN authority.operator USING (operator_id)
    JOIN authority.operator_passkey passkey USING (passkey_id, operator_id)
    WHERE session_hash = $1 AND expires_at > $2 AND used_at > $3
      AND NOT operator.suspended AND operator.enrolled_at IS NOT NULL
      AND passkey.registered_at IS NOT NULL AND passkey.removed_at IS NULL`,
};

const useSession = {
  name: 'operator-session.use',
  text: 'UPDATE authority.operator_session SET used_at = $2 WHERE session_hash = $1 AND used_at < $2',
};

const deleteSession = {
  name: 'operator-session.delete',
  text: 'DELETE FROM authority.operator_session WHERE session_hash = $1',
};

/** Sessions of the console, in Postgres for every API process. The secret is in the browser's cookie alone. */
export class Sessions {
  constructor(
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
  ) {}

  /** Returns the secret of a new session. `at`: Unix milliseconds of the recorded sign-in. */
  async begin({ operatorId, passkeyId }: ProvenPasskey, at: number): Promise<string> {
    const secret = newBrowserSecret();
    await this.store.rows(insertSession, [hashOf(secret), operatorId, passkeyId, at, at + SESSION_MS]);
    return secret;
  }

  /** Undefined: it ended, or its operator or passkey did. `isUse`: false if nobody asked, as by a page that follows. */
  async find(secret: string, isUse = true): Promise<Session | undefined> {
    const now = this.clock.now();
    const [row] = await this.store.rows<Row>(sessionByHash, [hashOf(secret), now, now - IDLE_MS]);
    if (!row) return undefined;
    if (isUse && Number(row.used_at) < now - USE_INTERVAL_MS)
      await this.store.rows(useSession, [hashOf(secret), now]);
    const { operator_id: operatorId, passkey_id: passkeyId, name, roles } = row;
    return { operatorId, passkeyId, name, roles, expiresAt: Number(row.expires_at) };
  }

  async end(secret: string): Promise<void> {
    await this.store.rows(deleteSession, [hashOf(secret)]);
  }
}

export const newBrowserSecret = (): string => randomBytes(32).toString('base64url');

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
