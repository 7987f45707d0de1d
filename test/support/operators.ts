import { randomBytes } from 'node:crypto';
import type { Role } from '../../src/domain/operator/roles.js';
import type { OperatorClient } from './operator-client.js';

export interface EnrolledOperator {
  readonly operatorId: string;
  readonly tokenId: string;
  readonly token: string;
}

/** Two operators of a network cannot have one name. */
export const someName = (first = 'Grace'): string => `${first} ${randomBytes(3).toString('hex')}`;

/** Invites an operator and accepts the invitation. `client`: with a token that may invite. */
export async function enrollOperator(
  client: OperatorClient,
  roles: readonly Role[],
  name = someName(),
): Promise<EnrolledOperator> {
  const { invitationCode } = await client.post('operators', { name, roles, reason: 'a test' });
  return client.post('enrollments', { invitationCode });
}
