/**
 * SQL that deletes the authority rows that derive from the log, before an authority rebuild. Final states stay, even if
 * a restored log lost their events: revoked grants and credentials of operators, erased accounts, and the limit of the shared
 * token. Four-eyes that was on stays on until an event of the log or a recovery says otherwise.
 */
export const CLEAR_AUTHORITY = `
  DELETE FROM authority.account WHERE state <> 'erased';
  DELETE FROM authority.application;
  DELETE FROM authority.app_grant WHERE revoked_at IS NULL;
  DELETE FROM authority.publishing;
  DELETE FROM authority.registration;
  DELETE FROM authority.batch;
  DELETE FROM authority.operator;
  DELETE FROM authority.operator_token WHERE revoked_at IS NULL;
  DELETE FROM authority.operator_passkey WHERE removed_at IS NULL;
  DELETE FROM authority.approval;
  DELETE FROM authority.four_eyes WHERE batch_items IS NULL;
  UPDATE authority.four_eyes SET revision = -1`;
