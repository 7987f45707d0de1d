import type { Statement } from '../runner/projection.js';

interface NewAccount {
  readonly actor_id: string;
  readonly handle: string | null;
  readonly display_name: string;
  readonly email: string;
  readonly state: 'active' | 'erased';
  readonly registered_at: number;
  readonly revision: string;
}

/**
 * Inserts an account, or completes a row that a suspension inserted before: state and profile then stay as newer events
 * set them. Erasure is final.
 */
export const registerAccount: Statement<NewAccount> = {
  name: 'account.register',
  table: 'account',
  key: (row) => row.actor_id,
  sql: `
    INSERT INTO authority.account (actor_id, handle, display_name, email, state, registered_at, revision)
    SELECT actor_id, handle, display_name, email, state, registered_at, revision
    FROM json_to_recordset($1) AS row(actor_id text, handle text, display_name text, email text, state text,
                                      registered_at bigint, revision bigint)
    ON CONFLICT (actor_id) DO UPDATE SET email = EXCLUDED.email, registered_at = EXCLUDED.registered_at,
      handle = CASE WHEN account.handle_revision = 1 OR EXCLUDED.state = 'erased'
        THEN EXCLUDED.handle ELSE account.handle END,
      display_name = CASE WHEN account.profile_revision = 1 OR EXCLUDED.state = 'erased'
        THEN EXCLUDED.display_name ELSE account.display_name END,
      website = CASE EXCLUDED.state WHEN 'erased' THEN '' ELSE account.website END,
      state = CASE EXCLUDED.state WHEN 'erased' THEN 'erased' ELSE account.state END,
      revision = greatest(account.revision, EXCLUDED.revision)
    WHERE account.state <> 'erased' AND (EXCLUDED.state = 'erased' OR account.email = '')`,
};

interface AccountProfile {
  readonly actor_id: string;
  readonly display_name: string;
  readonly shows_handle: boolean;
  readonly website: string;
  readonly profile_revision: number;
  readonly profile_changed_at: number;
}

export const changeProfile: Statement<AccountProfile> = {
  name: 'account.change-profile',
  table: 'account',
  key: (row) => row.actor_id,
  sql: `
    UPDATE authority.account SET display_name = row.display_name, shows_handle = row.shows_handle,
      website = row.website, profile_revision = row.profile_revision, profile_changed_at = row.profile_changed_at
    FROM json_to_recordset($1) AS row(actor_id text, display_name text, shows_handle boolean, website text,
                                      profile_revision integer, profile_changed_at bigint)
    WHERE account.actor_id = row.actor_id AND account.profile_revision < row.profile_revision
      AND account.state <> 'erased'`,
};

interface AccountHandle {
  readonly actor_id: string;
  readonly handle: string;
  readonly handle_revision: number;
}

/**
 * The sign-in name has a revision of its own: a newer profile that hides the handle leaves the sign-in name unchanged.
 */
export const changeHandle: Statement<AccountHandle> = {
  name: 'account.take-handle',
  table: 'account',
  key: (row) => row.actor_id,
  sql: `
    UPDATE authority.account SET handle = row.handle, handle_revision = row.handle_revision
    FROM json_to_recordset($1) AS row(actor_id text, handle text, handle_revision integer)
    WHERE account.actor_id = row.actor_id AND account.handle_revision < row.handle_revision
      AND account.state <> 'erased'`,
};

interface AccountAddress {
  readonly actor_id: string;
  readonly email: string;
  readonly address_revision: string;
}

/** Leaves an account without an address alone: it waits for its registration, which would be taken for applied. */
export const changeAddress: Statement<AccountAddress> = {
  name: 'account.change-address',
  table: 'account',
  key: (row) => row.actor_id,
  sql: `
    UPDATE authority.account SET email = row.email, address_revision = row.address_revision
    FROM json_to_recordset($1) AS row(actor_id text, email text, address_revision bigint)
    WHERE account.actor_id = row.actor_id AND account.address_revision < row.address_revision
      AND account.email <> '' AND account.state <> 'erased'`,
};

interface AccountState {
  readonly actor_id: string;
  readonly state: 'active' | 'suspended';
  readonly at: number;
  readonly revision: string;
}

export const setAccountState: Statement<AccountState> = {
  name: 'account.set-state',
  table: 'account',
  key: (row) => row.actor_id,
  sql: `
    INSERT INTO authority.account (actor_id, handle, display_name, email, state, registered_at, revision)
    SELECT actor_id, NULL, '', '', state, at, revision
    FROM json_to_recordset($1) AS row(actor_id text, state text, at bigint, revision bigint)
    ON CONFLICT (actor_id) DO UPDATE SET state = EXCLUDED.state, revision = EXCLUDED.revision
    WHERE account.revision < EXCLUDED.revision AND account.state <> 'erased'`,
};

interface AccountErasure {
  readonly actor_id: string;
  readonly erases_at: number | null;
  readonly revision: string;
}

export const scheduleErasure: Statement<AccountErasure> = {
  name: 'account.plan-erasure',
  table: 'account',
  key: (row) => row.actor_id,
  sql: `
    UPDATE authority.account SET erases_at = row.erases_at, erasure_revision = row.revision
    FROM json_to_recordset($1) AS row(actor_id text, erases_at bigint, revision bigint)
    WHERE account.actor_id = row.actor_id AND account.erasure_revision < row.revision AND account.state <> 'erased'`,
};

interface ErasedAccount {
  readonly actor_id: string;
  readonly at: number;
  readonly revision: string;
}

/** Leaves only the fact that the account existed, in whatever order its events are applied. */
export const eraseAccount: Statement<ErasedAccount> = {
  name: 'account.erase',
  table: 'account',
  key: (row) => row.actor_id,
  sql: `
    INSERT INTO authority.account (actor_id, handle, display_name, email, state, registered_at, revision)
    SELECT actor_id, NULL, '', '', 'erased', at, revision
    FROM json_to_recordset($1) AS row(actor_id text, at bigint, revision bigint)
    ON CONFLICT (actor_id) DO UPDATE SET handle = NULL, display_name = '', email = '', website = '',
      state = 'erased', erases_at = NULL, revision = greatest(account.revision, EXCLUDED.revision)
    WHERE account.state <> 'erased'`,
};

interface NewApplication {
  readonly app_id: string;
  readonly name: string;
  readonly redirect_uris: readonly string[];
  readonly post_logout_redirect_uris: readonly string[];
  readonly scopes: readonly string[];
  readonly registered_at: number;
  readonly revision: string;
}

/**
 * Completes a row without a registration time: an earlier-applied suspension inserted it, or an older release wrote it.
 */
export const registerApplication: Statement<NewApplication> = {
  name: 'application.register',
  table: 'application',
  key: (row) => row.app_id,
  sql: `
    INSERT INTO authority.application (app_id, name, redirect_uris, post_logout_redirect_uris, scopes, state,
                                       registered_at, revision)
    SELECT app_id, name, redirect_uris, post_logout_redirect_uris, scopes, 'active', registered_at, revision
    FROM json_to_recordset($1) AS row(app_id text, name text, redirect_uris text[], post_logout_redirect_uris text[],
                                      scopes text[], registered_at bigint, revision bigint)
    ON CONFLICT (app_id) DO UPDATE SET name = EXCLUDED.name, redirect_uris = EXCLUDED.redirect_uris,
      post_logout_redirect_uris = EXCLUDED.post_logout_redirect_uris, scopes = EXCLUDED.scopes,
      registered_at = EXCLUDED.registered_at, revision = greatest(application.revision, EXCLUDED.revision)
    WHERE application.registered_at IS NULL`,
};

interface ApplicationChange {
  readonly app_id: string;
  readonly name: string;
  readonly redirect_uris: readonly string[];
  readonly post_logout_redirect_uris: readonly string[];
  readonly scopes: readonly string[];
  readonly former_names: readonly object[];
  readonly removes_scopes: boolean;
  /** Null: they are as before. */
  readonly redirects_changed_at: number | null;
  readonly change_revision: string;
}

const DAY_MS = 24 * 60 * 60_000;

/** Redirect addresses and secret that change within a day: the newer time of both. They arrive in any order. */
const identityChangedAt = (other: string, at: string): string => `
  CASE WHEN abs(application.${other} - ${at}) <= ${DAY_MS}
    THEN greatest(application.identity_changed_at, application.${other}, ${at})
    ELSE application.identity_changed_at END`;

/** A registration always comes before: who changes an application applies it first. */
export const changeApplication: Statement<ApplicationChange> = {
  name: 'application.change',
  table: 'application',
  key: (row) => row.app_id,
  sql: `
    UPDATE authority.application SET name = row.name, redirect_uris = row.redirect_uris,
      post_logout_redirect_uris = row.post_logout_redirect_uris, scopes = row.scopes,
      former_names = row.former_names, is_ending_grants = application.is_ending_grants OR row.removes_scopes,
      redirects_changed_at = coalesce(row.redirects_changed_at, application.redirects_changed_at),
      identity_changed_at = ${identityChangedAt('secret_rotated_at', 'row.redirects_changed_at')},
      change_revision = row.change_revision
    FROM json_to_recordset($1) AS row(app_id text, name text, redirect_uris text[], post_logout_redirect_uris text[],
      scopes text[], former_names jsonb, removes_scopes boolean, redirects_changed_at bigint, change_revision bigint)
    WHERE application.app_id = row.app_id AND application.change_revision < row.change_revision`,
};

interface SecretRotation {
  readonly app_id: string;
  readonly rotated_at: number;
}

export const recordSecretRotation: Statement<SecretRotation> = {
  name: 'application.rotate-secret',
  table: 'application',
  key: (row) => row.app_id,
  sql: `
    UPDATE authority.application SET
      secret_rotated_at = greatest(application.secret_rotated_at, row.rotated_at),
      identity_changed_at = ${identityChangedAt('redirects_changed_at', 'row.rotated_at')}
    FROM json_to_recordset($1) AS row(app_id text, rotated_at bigint)
    WHERE application.app_id = row.app_id`,
};

interface ApplicationState {
  readonly app_id: string;
  readonly state: 'active' | 'suspended';
  readonly revision: string;
}

export const setApplicationState: Statement<ApplicationState> = {
  name: 'application.set-state',
  table: 'application',
  key: (row) => row.app_id,
  sql: `
    INSERT INTO authority.application (app_id, name, redirect_uris, scopes, state, revision)
    SELECT app_id, '', '{}', '{}', state, revision
    FROM json_to_recordset($1) AS row(app_id text, state text, revision bigint)
    ON CONFLICT (app_id) DO UPDATE SET state = EXCLUDED.state, revision = EXCLUDED.revision
    WHERE application.revision < EXCLUDED.revision`,
};

interface NewGrant {
  readonly grant_id: string;
  readonly app_id: string;
  readonly actor_id: string;
  readonly scopes: readonly string[];
  readonly issued_at: number;
}

/** Never changes `revoked_at`, so that a revocation that was applied before stays. */
export const issueGrant: Statement<NewGrant> = {
  name: 'app_grant.issue',
  table: 'app_grant',
  key: (row) => row.grant_id,
  sql: `
    INSERT INTO authority.app_grant (grant_id, app_id, actor_id, scopes, issued_at)
    SELECT grant_id, app_id, actor_id, scopes, issued_at
    FROM json_to_recordset($1) AS row(grant_id text, app_id text, actor_id text, scopes text[], issued_at bigint)
    ON CONFLICT (grant_id) DO UPDATE SET scopes = EXCLUDED.scopes, issued_at = EXCLUDED.issued_at
    WHERE app_grant.scopes <> EXCLUDED.scopes`,
};

interface Use {
  readonly grant_id: string;
  readonly last_used_at: number;
}

/** Never inserts a row: only the event that issued the grant has its scopes, and no log has a use before it. */
export const recordGrantUse: Statement<Use> = {
  name: 'app_grant.use',
  table: 'app_grant',
  key: (row) => row.grant_id,
  sql: `
    UPDATE authority.app_grant SET last_used_at = row.last_used_at
    FROM json_to_recordset($1) AS row(grant_id text, last_used_at bigint)
    WHERE app_grant.grant_id = row.grant_id
      AND (app_grant.last_used_at IS NULL OR app_grant.last_used_at < row.last_used_at)`,
};

interface Revocation {
  readonly grant_id: string;
  readonly app_id: string;
  readonly actor_id: string;
  readonly revoked_at: number;
}

/** An unknown grant is recorded as revoked, so that no order of arrival makes it active. */
export const revokeGrant: Statement<Revocation> = {
  name: 'app_grant.revoke',
  table: 'app_grant',
  key: (row) => row.grant_id,
  sql: `
    INSERT INTO authority.app_grant (grant_id, app_id, actor_id, scopes, issued_at, revoked_at)
    SELECT grant_id, app_id, actor_id, '{}', revoked_at, revoked_at
    FROM json_to_recordset($1) AS row(grant_id text, app_id text, actor_id text, revoked_at bigint)
    ON CONFLICT (grant_id) DO UPDATE SET revoked_at = EXCLUDED.revoked_at
    WHERE app_grant.revoked_at IS NULL`,
};

interface Publishing {
  readonly paused: boolean;
  readonly revision: string;
}

interface RegistrationRow {
  readonly is_open: boolean;
  readonly revision: string;
}

export const setRegistration: Statement<RegistrationRow> = {
  name: 'registration.set',
  table: 'registration',
  key: () => 'this',
  sql: `
    INSERT INTO authority.registration (network, is_open, revision)
    SELECT 'this', is_open, revision FROM json_to_recordset($1) AS row(is_open boolean, revision bigint)
    ON CONFLICT (network) DO UPDATE SET is_open = EXCLUDED.is_open, revision = EXCLUDED.revision
    WHERE registration.revision < EXCLUDED.revision`,
};

export const setPublishing: Statement<Publishing> = {
  name: 'publishing.set',
  table: 'publishing',
  key: () => 'this',
  sql: `
    INSERT INTO authority.publishing (network, paused, revision)
    SELECT 'this', paused, revision FROM json_to_recordset($1) AS row(paused boolean, revision bigint)
    ON CONFLICT (network) DO UPDATE SET paused = EXCLUDED.paused, revision = EXCLUDED.revision
    WHERE publishing.revision < EXCLUDED.revision`,
};
