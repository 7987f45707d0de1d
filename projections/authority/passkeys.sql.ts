import type { Statement } from '../runner/projection.js';

interface RegisteredPasskey {
  readonly passkey_id: string;
  readonly operator_id: string;
  readonly credential_id: string;
  readonly public_key: string;
  readonly transports: readonly string[];
  readonly label: string;
  readonly registered_at: number;
}

export const registerPasskey: Statement<RegisteredPasskey> = {
  name: 'operator_passkey.register',
  table: 'operator_passkey',
  key: (row) => row.passkey_id,
  sql: `
    INSERT INTO authority.operator_passkey (passkey_id, operator_id, credential_id, public_key, transports, label,
      registered_at)
    SELECT passkey_id, operator_id, credential_id, public_key, transports, label, registered_at
    FROM json_to_recordset($1) AS row(passkey_id text, operator_id text, credential_id text, public_key text,
                                      transports text[], label text, registered_at bigint)
    ON CONFLICT (passkey_id) DO UPDATE SET credential_id = EXCLUDED.credential_id, public_key = EXCLUDED.public_key,
      transports = EXCLUDED.transports, label = EXCLUDED.label, registered_at = EXCLUDED.registered_at
    WHERE operator_passkey.credential_id IS NULL`,
};

interface RemovedPasskey {
  readonly passkey_id: string;
  readonly operator_id: string;
  readonly removed_at: number;
}

/** An unknown passkey is recorded as removed, so that no order of arrival makes it valid. */
export const removePasskey: Statement<RemovedPasskey> = {
  name: 'operator_passkey.remove',
  table: 'operator_passkey',
  key: (row) => row.passkey_id,
  sql: `
    INSERT INTO authority.operator_passkey (passkey_id, operator_id, removed_at)
    SELECT passkey_id, operator_id, removed_at
    FROM json_to_recordset($1) AS row(passkey_id text, operator_id text, removed_at bigint)
    ON CONFLICT (passkey_id) DO UPDATE SET removed_at = EXCLUDED.removed_at
    WHERE operator_passkey.removed_at IS NULL`,
};

interface EndedSessions {
  readonly operator_id: string;
  readonly at: number;
}

/** Sessions that began after `at` stay, so that a repetition ends none of them. */
export const endSessions: Statement<EndedSessions> = {
  name: 'operator_session.end',
  table: 'operator_session',
  key: (row) => row.operator_id,
  sql: `
    DELETE FROM authority.operator_session USING json_to_recordset($1) AS row(operator_id text, at bigint)
    WHERE operator_session.operator_id = row.operator_id AND operator_session.signed_in_at <= row.at`,
};
