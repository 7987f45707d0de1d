import { noInvitation } from '../../domain/operator/operator.js';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { operatorSecretHash } from './secrets.js';

export interface OpenInvitation {
  readonly operatorId: string;
  readonly name: string;
  readonly invitationHash: string;
}

const operatorInvitedBy = {
  name: 'operator.invited-by',
  text: 'SELECT operator_id, name, invitation_expires_at FROM authority.operator WHERE invitation_hash = $1 AND NOT suspended',
};

interface Row {
  readonly operator_id: string;
  readonly name: string;
  readonly invitation_expires_at: string;
}

/**
 * The operator whom this code invites. A command decides again by the log.
 * @throws {Refusal} `not_found`; errors of the store.
 */
export async function findInvitation(
  store: AuthorityStore,
  invitationCode: string,
  now: number,
): Promise<OpenInvitation> {
  const invitationHash = operatorSecretHash(invitationCode);
  const [row] = await store.rows<Row>(operatorInvitedBy, [invitationHash]);
  if (!row || Number(row.invitation_expires_at) <= now) throw noInvitation();
  return { operatorId: row.operator_id, name: row.name, invitationHash };
}
