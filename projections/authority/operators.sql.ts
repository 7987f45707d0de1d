import type { Statement } from '../runner/projection.js';

interface InvitedOperator {
  readonly operator_id: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly revision: string;
  readonly invitation_hash: string;
  readonly invitation_expires_at: number;
  readonly needs_confirmation: boolean;
  readonly invited_at: number;
}

/** Adds what an earlier-applied suspension or role change could not know, and changes neither. */
export const registerOperator: Statement<InvitedOperator> = {
  name: 'operator.register',
  table: 'operator',
  key: (row) => row.operator_id,
  sql: `
    INSERT INTO authority.operator (operator_id, name, roles, roles_revision, invitation_hash, invitation_expires_at,
      needs_confirmation, invited_at)
    SELECT operator_id, name, roles, revision, invitation_hash, invitation_expires_at, needs_confirmation, invited_at
    FROM json_to_recordset($1) AS row(operator_id text, name text, roles text[], revision bigint, invitation_hash text,
                                      invitation_expires_at bigint, needs_confirmation boolean, invited_at bigint)
    ON CONFLICT (operator_id) DO UPDATE SET name = EXCLUDED.name, invitation_hash = EXCLUDED.invitation_hash,
      invitation_expires_at = EXCLUDED.invitation_expires_at, needs_confirmation = EXCLUDED.needs_confirmation,
      invited_at = EXCLUDED.invited_at,
      roles = CASE WHEN operator.roles_revision < 0 THEN EXCLUDED.roles ELSE operator.roles END,
      roles_revision = greatest(operator.roles_revision, EXCLUDED.roles_revision)
    WHERE operator.invited_at IS NULL`,
};

interface ConfirmedOperator {
  readonly operator_id: string;
}

export const confirmOperator: Statement<ConfirmedOperator> = {
  name: 'operator.confirm',
  table: 'operator',
  key: (row) => row.operator_id,
  sql: `
    UPDATE authority.operator SET needs_confirmation = false
    FROM json_to_recordset($1) AS row(operator_id text)
    WHERE operator.operator_id = row.operator_id AND operator.needs_confirmation`,
};

interface EnrolledOperator {
  readonly operator_id: string;
  readonly enrolled_at: number;
}

export const enrollOperator: Statement<EnrolledOperator> = {
  name: 'operator.enroll',
  table: 'operator',
  key: (row) => row.operator_id,
  sql: `
    UPDATE authority.operator SET enrolled_at = row.enrolled_at, invitation_hash = NULL
    FROM json_to_recordset($1) AS row(operator_id text, enrolled_at bigint)
    WHERE operator.operator_id = row.operator_id AND operator.enrolled_at IS NULL`,
};

interface OperatorRoles {
  readonly operator_id: string;
  readonly roles: readonly string[];
  readonly revision: string;
}

export const setOperatorRoles: Statement<OperatorRoles> = {
  name: 'operator.set-roles',
  table: 'operator',
  key: (row) => row.operator_id,
  sql: `
    INSERT INTO authority.operator (operator_id, roles, roles_revision)
    SELECT operator_id, roles, revision
    FROM json_to_recordset($1) AS row(operator_id text, roles text[], revision bigint)
    ON CONFLICT (operator_id) DO UPDATE SET roles = EXCLUDED.roles, roles_revision = EXCLUDED.roles_revision
    WHERE operator.roles_revision < EXCLUDED.roles_revision`,
};

interface OperatorSuspension {
  readonly operator_id: string;
  readonly suspended: boolean;
  readonly revision: string;
}

export const setOperatorSuspended: Statement<OperatorSuspension> = {
  name: 'operator.set-suspended',
  table: 'operator',
  key: (row) => row.operator_id,
  sql: `
    INSERT INTO authority.operator (operator_id, suspended, suspended_revision)
    SELECT operator_id, suspended, revision
    FROM json_to_recordset($1) AS row(operator_id text, suspended boolean, revision bigint)
    ON CONFLICT (operator_id) DO UPDATE SET suspended = EXCLUDED.suspended,
      suspended_revision = EXCLUDED.suspended_revision
    WHERE operator.suspended_revision < EXCLUDED.suspended_revision`,
};

interface IssuedToken {
  readonly token_id: string;
  readonly operator_id: string;
  readonly token_hash: string;
  readonly label: string;
  readonly issued_at: number;
  readonly expires_at: number;
}

export const issueOperatorToken: Statement<IssuedToken> = {
  name: 'operator_token.issue',
  table: 'operator_token',
  key: (row) => row.token_id,
  sql: `
    INSERT INTO authority.operator_token (token_id, operator_id, token_hash, label, issued_at, expires_at)
    SELECT token_id, operator_id, token_hash, label, issued_at, expires_at
    FROM json_to_recordset($1) AS row(token_id text, operator_id text, token_hash text, label text, issued_at bigint,
                                      expires_at bigint)
    ON CONFLICT (token_id) DO UPDATE SET token_hash = EXCLUDED.token_hash, label = EXCLUDED.label,
      issued_at = EXCLUDED.issued_at, expires_at = EXCLUDED.expires_at
    WHERE operator_token.token_hash IS NULL`,
};

interface RevokedToken {
  readonly token_id: string;
  readonly operator_id: string;
  readonly revoked_at: number;
}

/** An unknown token is recorded as revoked, so that no order of arrival makes it valid. */
export const revokeOperatorToken: Statement<RevokedToken> = {
  name: 'operator_token.revoke',
  table: 'operator_token',
  key: (row) => row.token_id,
  sql: `
    INSERT INTO authority.operator_token (token_id, operator_id, revoked_at)
    SELECT token_id, operator_id, revoked_at
    FROM json_to_recordset($1) AS row(token_id text, operator_id text, revoked_at bigint)
    ON CONFLICT (token_id) DO UPDATE SET revoked_at = EXCLUDED.revoked_at
    WHERE operator_token.revoked_at IS NULL`,
};

interface SharedTokenLimit {
  readonly limited_at: number;
}

export const limitSharedToken: Statement<SharedTokenLimit> = {
  name: 'shared_token.limit',
  table: 'shared_token',
  key: () => 'this',
  sql: `
    INSERT INTO authority.shared_token (network, limited_at)
    SELECT 'this', limited_at FROM json_to_recordset($1) AS row(limited_at bigint)
    ON CONFLICT (network) DO NOTHING`,
};
