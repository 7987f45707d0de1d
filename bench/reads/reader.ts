import { randomBytes, randomUUID } from 'node:crypto';
import type { TokenEndpointResponse } from 'openid-client';
import { TokenRequests } from '../auth/application.js';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { operatorOf } from '../operator.js';
import { signIn } from '../../src/programs/demo/sign-in.js';
import type { BenchNetwork } from '../network.js';

export interface Reader {
  readonly actorId: string;
  token(): Promise<string>;
  /** Tokens with a refresh token, and the requests that replace it. */
  chain(): Promise<{ readonly tokens: TokenEndpointResponse; readonly requests: TokenRequests }>;
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
  const tokens = (scopes: readonly string[]) =>
    signIn(baseUrl, { ...application, ...person, redirectUri, scope: scopes.join(' ') });
  return {
    actorId,
    async token() {
      return (await tokens(allScopes.filter((name) => name !== 'offline_access'))).access_token;
    },
    async chain() {
      const requests = new TokenRequests('/api/auth/oauth2/token', { ...application, redirectUri });
      return { tokens: await tokens(allScopes), requests };
    },
  };
}
