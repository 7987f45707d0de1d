import { randomBytes, randomUUID } from 'node:crypto';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { operatorOf } from '../operator.js';
import { signIn } from '../../src/programs/demo/sign-in.js';
import type { BenchNetwork } from '../network.js';

export interface Reader {
  readonly actorId: string;
  token(): Promise<string>;
}

const redirectUri = 'http://localhost:8910/callback';

export async function newReader({ baseUrl, run }: BenchNetwork): Promise<Reader> {
  const person = { handle: `b_${randomBytes(6).toString('hex')}`, password: randomUUID() };
  const operator = operatorOf(run.settings);
  const application = await operator.call('POST /operator/applications', {
    name: 'Benchmark',
    redirectUris: [redirectUri],
    scopes: allScopes,
  });
  const { actorId } = await operator.call('POST /operator/accounts', {
    ...person,
    displayName: 'B',
    email: `${person.handle}@example.org`,
  });
  const scope = allScopes.filter((name) => name !== 'offline_access').join(' ');
  return {
    actorId,
    async token() {
      const tokens = await signIn(baseUrl, { ...application, ...person, redirectUri, scope });
      return tokens.access_token;
    },
  };
}
