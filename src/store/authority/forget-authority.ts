/**
 * SQL that takes away what the authority store has from the log, to be derived from it anew. What is final stays, whatever
 * the log knows of it: grants that were revoked, accounts that were erased.
 */
export const CLEAR_AUTHORITY = `
  DELETE FROM authority.account WHERE state <> 'erased';
  DELETE FROM authority.application;
  DELETE FROM authority.app_grant WHERE revoked_at IS NULL;
  DELETE FROM authority.publishing`;
