/** Bare oidc-provider with its memory adapter and the features that Plaza uses; nothing is durable. */
import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { application, challenge, SCOPE } from './application.js';

export interface Mint {
  readonly kind: 'AuthorizationCode' | 'RefreshToken';
  readonly count: number;
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pairwise = randomBytes(32);
const { clientId, clientSecret, redirectUri } = application;

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        subject_type: 'pairwise',
        scope: SCOPE,
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    scopes: SCOPE.split(' '),
    subjectTypes: ['pairwise'],
    pairwiseIdentifier: (_ctx, id, client) =>
      createHmac('sha256', pairwise).update(`${client.clientId} ${id}`).digest('base64url'),
    pkce: { required: () => true },
    ttl: { AccessToken: 300, AuthorizationCode: 60, Grant: 2_592_000, IdToken: 300, RefreshToken: 2_592_000 },
    rotateRefreshToken: true,
    features: { devInteractions: { enabled: false } },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  });
  const answer = provider.callback();
  server.on('request', (request, response) => void answer(request, response));
  process.on('message', (mint: Mint) => {
    void minted(provider, mint).then((values) => process.send?.(values));
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ port });
});

async function minted(provider: Provider, { kind, count }: Mint): Promise<string[]> {
  const client = await provider.Client.find(clientId);
  if (!client) throw new Error('the client is not there');
  const values: string[] = [];
  for (let n = 0; n < count; n++) {
    const grant = new provider.Grant({ accountId: 'ada', clientId });
    grant.addOIDCScope(SCOPE);
    const properties = {
      accountId: 'ada',
      client,
      grantId: await grant.save(),
      gty: 'authorization_code',
      scope: SCOPE,
      authTime: Math.floor(Date.now() / 1000),
      nonce: 'n',
      redirectUri,
      codeChallenge: challenge,
      codeChallengeMethod: 'S256',
    };
    values.push(await new provider[kind](properties).save());
  }
  return values;
}
