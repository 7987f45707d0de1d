import type { Handlers } from '../runner/projection.js';
import { endSessions, registerPasskey, removePasskey } from './passkeys.sql.js';
import {
  confirmOperator,
  enrollOperator,
  issueOperatorToken,
  limitSharedToken,
  registerOperator,
  revokeOperatorToken,
  setOperatorRoles,
  setOperatorSuspended,
} from './operators.sql.js';

export const operatorHandlers: Handlers = {
  'operator.invited': ({ event: { data }, revision }, write) =>
    write(registerOperator, {
      operator_id: data.operatorId,
      name: data.name,
      roles: data.roles,
      revision: String(revision),
      invitation_hash: data.invitationHash,
      invitation_expires_at: data.expiresAt,
      needs_confirmation: data.needsConfirmation,
      invited_at: data.at,
    }),
  'operator.confirmed': ({ event: { data } }, write) =>
    write(confirmOperator, { operator_id: data.operatorId }),
  'operator.enrolled': ({ event: { data } }, write) =>
    write(enrollOperator, { operator_id: data.operatorId, enrolled_at: data.at }),
  'operator.roles_changed': ({ event: { data }, revision }, write) =>
    write(setOperatorRoles, { operator_id: data.operatorId, roles: data.roles, revision: String(revision) }),
  'operator.suspended': ({ event: { data }, revision }, write) => {
    const { operatorId: operator_id, at } = data;
    write(setOperatorSuspended, { operator_id, suspended: true, revision: String(revision) });
    write(endSessions, { operator_id, at });
  },
  'operator.reinstated': ({ event: { data }, revision }, write) =>
    write(setOperatorSuspended, {
      operator_id: data.operatorId,
      suspended: false,
      revision: String(revision),
    }),
  'operator.token_issued': ({ event: { data } }, write) =>
    write(issueOperatorToken, {
      token_id: data.tokenId,
      operator_id: data.operatorId,
      token_hash: data.tokenHash,
      label: data.label,
      issued_at: data.at,
      expires_at: data.expiresAt,
    }),
  'operator.token_revoked': ({ event: { data } }, write) =>
    write(revokeOperatorToken, {
      token_id: data.tokenId,
      operator_id: data.operatorId,
      revoked_at: data.at,
    }),
  'operator.passkey_registered': ({ event: { data } }, write) =>
    write(registerPasskey, {
      passkey_id: data.passkeyId,
      operator_id: data.operatorId,
      credential_id: data.credentialId,
      public_key: data.publicKey,
      transports: data.transports,
      label: data.label,
      registered_at: data.at,
    }),
  'operator.passkey_removed': ({ event: { data } }, write) =>
    write(removePasskey, {
      passkey_id: data.passkeyId,
      operator_id: data.operatorId,
      removed_at: data.at,
    }),
  'operator.signed_out': ({ event: { data } }, write) =>
    write(endSessions, { operator_id: data.operatorId, at: data.at }),
  'network.shared_token_limited': ({ event: { data } }, write) =>
    write(limitSharedToken, { limited_at: data.at }),
};
