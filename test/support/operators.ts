import type { Role } from '../../src/domain/operator/roles.js';
import type { OperatorClient } from '../../src/operator/cli/operator-client.js';

export interface EnrolledOperator {
  readonly operatorId: string;
  readonly tokenId: string;
  readonly token: string;
}

/** Invites an operator and accepts the invitation. `client`: with a token that may invite. */
export async function enrollOperator(
  client: OperatorClient,
  roles: readonly Role[],
  name = 'Grace',
): Promise<EnrolledOperator> {
  const { invitationCode } = await client.inviteOperator({ name, roles }, 'a test');
  return client.enrollOperator(invitationCode, {});
}
