import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import type { ClientCredentials } from '../../src/commands/application/applications.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { password, redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';

let network: AuthNetwork;
let application: ClientCredentials;

beforeAll(async () => {
  network = await startAuthNetwork();
  application = await network.registerApplication();
  await network.createAccount('ada');
});

afterAll(() => network.stop());

const insecure = { [oauth.allowInsecureRequests]: true };

describe('an unmodified oauth4webapi client', () => {
  it('signs in, reads claims, refreshes, introspects and revokes [service-issuer, service-capabilities, flow-discover, flow-redirect, flow-id-token]', async () => {
    const issuer = new URL(network.issuer);
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...insecure });
    const server = await oauth.processDiscoveryResponse(issuer, found);
    const client: oauth.Client = { client_id: application.clientId };
    const authentication = oauth.ClientSecretBasic(application.clientSecret);

    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const url = new URL(server.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      client_id: application.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid offline_access read',
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      prompt: 'consent',
    }).toString();
    const callback = await new Browser(network.baseUrl).authorize(url, { handle: 'ada', password });
    const parameters = oauth.validateAuthResponse(server, client, callback, state);

    const exchange = [server, client, authentication, parameters, redirectUri, verifier] as const;
    const exchanged = await oauth.authorizationCodeGrantRequest(...exchange, insecure);
    const expected = { expectedNonce: nonce, requireIdToken: true };
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, exchanged, expected);
    await oauth.validateApplicationLevelSignature(server, exchanged, insecure);
    const subject = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? '';

    const asked = await oauth.userInfoRequest(server, client, tokens.access_token, insecure);
    const claims = await oauth.processUserInfoResponse(server, client, subject, asked);
    expect(claims.preferred_username).toBe('ada');

    const spent = tokens.refresh_token ?? '';
    const refreshed = await oauth.refreshTokenGrantRequest(server, client, authentication, spent, insecure);
    const { access_token: token } = await oauth.processRefreshTokenResponse(server, client, refreshed);

    const introspect = async () => {
      const response = await oauth.introspectionRequest(server, client, authentication, token, insecure);
      return oauth.processIntrospectionResponse(server, client, response);
    };
    expect(await introspect()).toMatchObject({ active: true, sub: subject });
    const revoked = await oauth.revocationRequest(server, client, authentication, token, insecure);
    expect(await oauth.processRevocationResponse(revoked)).toBeUndefined();
    expect(await introspect()).toEqual({ active: false });
  });
});
