import { endSessionsSql } from '../../../commands/account/end-sessions.js';
import type { PreparedStatement } from '../../../base/store/authority/authority-store.js';

const clientSql = (appId: string) => `(
  SELECT json_build_object('appId', app_id, 'name', name, 'redirectUris', redirect_uris,
    'postLogoutRedirectUris', post_logout_redirect_uris, 'scopes', scopes, 'secretHashes', ARRAY(
      SELECT encode(secret_hash, 'base64') FROM authority.client_secret
      WHERE client_secret.app_id = application.app_id AND (expires_at IS NULL OR expires_at > now())
      ORDER BY secret_hash))
  FROM authority.application WHERE app_id = ${appId} AND state = 'active')`;

const grantSql = (grantId: string) => `(
  SELECT json_build_object('grantId', grant_id, 'appId', app_id, 'actorId', actor_id, 'scopes', grants.scopes,
    'issuedAt', issued_at)
  FROM authority.app_grant grants
  JOIN authority.account USING (actor_id) JOIN authority.application USING (app_id)
  WHERE grant_id = ${grantId} AND revoked_at IS NULL AND account.state = 'active' AND application.state = 'active')`;

export interface FoundClient {
  readonly appId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly secretHashes: readonly string[];
}

export interface FoundGrant {
  readonly grantId: string;
  readonly appId: string;
  readonly actorId: string;
  readonly scopes: readonly string[];
  /** Unix milliseconds. */
  readonly issuedAt: number;
}

export interface FoundRecord {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly consumed_at: Date | null;
}

export const findClient: PreparedStatement = {
  name: 'auth-client',
  text: `SELECT ${clientSql('$1')} AS client`,
};

export const findGrant: PreparedStatement = {
  name: 'auth-grant',
  text: `SELECT ${grantSql('$1')} AS live`,
};

export const findRecord: PreparedStatement = {
  name: 'auth-record',
  text: 'SELECT payload, consumed_at FROM authority.oidc_record WHERE kind = $1 AND key_hash = $2',
};

export const findRecordByUid: PreparedStatement = {
  name: 'auth-record-by-uid',
  text: 'SELECT payload, consumed_at FROM authority.oidc_record WHERE kind = $1 AND uid_hash = $2',
};

export const upsertRecord: PreparedStatement = {
  name: 'auth-record-keep',
  text: `INSERT INTO authority.oidc_record (kind, key_hash, grant_id, uid_hash, payload, expires_at)
    VALUES ($1, $2, $3, $4, $5, to_timestamp($6))
    ON CONFLICT (kind, key_hash) DO UPDATE SET grant_id = EXCLUDED.grant_id, uid_hash = EXCLUDED.uid_hash,
      payload = EXCLUDED.payload, expires_at = EXCLUDED.expires_at
    WHERE oidc_record.consumed_at IS NULL`,
};

export const destroyRecord: PreparedStatement = {
  name: 'auth-record-destroy',
  text: 'DELETE FROM authority.oidc_record WHERE kind = $1 AND key_hash = $2',
};

export const destroyRecordsOfGrant: PreparedStatement = {
  name: 'auth-records-of-grant-destroy',
  text: 'DELETE FROM authority.oidc_record WHERE grant_id = $1',
};

/**
 * Marks a session as ended in place of {@link destroyRecord}, after which a concurrent request could write it again.
 */
export const endSessionRecord: PreparedStatement = {
  name: 'auth-record-end',
  text: `${endSessionsSql} AND kind = $1 AND key_hash = $2`,
};

/**
 * Reads the whole input of a token request as one row: `client`, `payload` and `consumed_at` of the record (null
 * without a record), and the active grant as `live`. The transaction locks the record: a second request with the same
 * value waits for the outcome of the first. `$1`: application. `$2`: kind of the exchanged credential. `$3`: its
 * SHA-256.
 */
export const loadTokenRequest: PreparedStatement = {
  name: 'auth-dossier',
  text: `WITH record AS MATERIALIZED (
      SELECT payload, consumed_at, grant_id FROM authority.oidc_record WHERE kind = $2 AND key_hash = $3 FOR UPDATE)
    SELECT ${clientSql('$1')} AS client, record.payload, record.consumed_at, ${grantSql('record.grant_id')} AS live
    FROM (VALUES (1)) AS one LEFT JOIN record ON true`,
};

/**
 * Spends a code or refresh token, and stores the records issued for it. Returns a row for each new record; none if the
 * credential was spent before. `$1`: kind of the credential. `$2`: its SHA-256. `$3`: JSON of the new records: kind,
 * key_hash (hex), grant_id, payload, exp.
 */
export const commitTokenRequest: PreparedStatement = {
  name: 'auth-dossier-close',
  text: `WITH spent AS (
      UPDATE authority.oidc_record SET consumed_at = now()
      WHERE kind = $1 AND key_hash = $2 AND consumed_at IS NULL RETURNING kind)
    INSERT INTO authority.oidc_record (kind, key_hash, grant_id, payload, expires_at)
    SELECT row.kind, decode(key_hash, 'hex'), grant_id, payload, to_timestamp(exp)
    FROM spent, jsonb_to_recordset($3)
      AS row(kind text, key_hash text, grant_id text, payload jsonb, exp double precision)
    RETURNING kind`,
};
