import { randomUUID } from 'node:crypto';
import { readConfig } from '../../src/base/config/config.js';
import type { CaseEffect } from '../../src/domain/case/events.js';
import type { Role } from '../../src/domain/operator/roles.js';
import { operatorClient } from './operator-client.js';
import type { OperatorClient } from './operator-client.js';
import { operatorOf } from './api.js';
import type { SignedIn } from './api.js';
import type { TestNetwork } from './network.js';
import { enrollOperator } from './operators.js';
import { until } from './until.js';

type NetworkAccess = Pick<TestNetwork, 'baseUrl' | 'env'>;

/** An operator with a personal token. */
export interface Moderator {
  readonly operatorId: string;
  readonly token: string;
  readonly client: OperatorClient;
  readonly env: NodeJS.ProcessEnv;
}

export async function newModerator(
  network: NetworkAccess,
  role: Role = 'moderator',
  name?: string,
): Promise<Moderator> {
  const { operatorId, token } = await enrollOperator(operatorOf(network), [role], name);
  return moderatorWith(network, { operatorId, token });
}

export function moderatorWith(
  network: NetworkAccess,
  { operatorId, token }: Pick<Moderator, 'operatorId' | 'token'>,
): Moderator {
  const env = { ...network.env, OPERATOR_TOKEN: token };
  return { operatorId, token, client: operatorClient(readConfig(env)), env };
}

/** @throws {Error} the report is refused. */
export async function report(by: SignedIn, fields: object): Promise<string> {
  const { status, body } = await by.post('/api/reports', {
    intentId: randomUUID(),
    reason: 'spam',
    ...fields,
  });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.report.id as string;
}

/** Reports a post, and waits until its case is open. Returns the id of the case. */
export async function reportedPost(
  moderator: Moderator,
  by: SignedIn,
  postId: string,
  text?: string,
): Promise<string> {
  await report(by, { postId, text });
  const caseId = `post-${postId}`;
  await until(async () => (await stateOf(moderator, caseId)) !== undefined);
  return caseId;
}

/** Undefined: there is no such case. */
export async function stateOf({ client }: Moderator, caseId: string): Promise<string | undefined> {
  try {
    return (await client.get('cases/:id', { id: caseId })).state;
  } catch (error) {
    if (String(error).includes('(not_found)')) return undefined;
    throw error;
  }
}

/** Claims and decides a case. */
export async function decide(
  { client }: Moderator,
  caseId: string,
  effects: readonly CaseEffect[],
  notice?: string,
): Promise<void> {
  await client.post('cases/:id/claim', { id: caseId });
  await client.post('cases/:id/decide', {
    id: caseId,
    outcome: 'violation',
    effects,
    notice,
    reason: 'a test',
  });
}
