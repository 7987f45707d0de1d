import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientCredentials } from '../../src/commands/register-application.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { Browser } from './support/browser.js';
import { connect, discover } from './support/flow.js';

let network: AuthNetwork;
let application: ClientCredentials;
let client: oidc.Configuration;
let actorId: string;

beforeAll(async () => {
  network = await startAuthNetwork();
  application = await network.registerApplication();
  actorId = await network.createAccount('ada');
  client = await discover(network, application);
});

afterAll(() => network.stop());

describe('the code flow', () => {
  it('connects an unmodified client, through the pages, with the scopes that it asked for', async () => {
    const browser = new Browser(network.baseUrl);
    const tokens = await connect(client, browser, 'ada');
    expect(tokens.refreshToken).not.toBe('');
    expect(tokens.subject).not.toBe(actorId);
    const userinfo = await oidc.fetchUserInfo(client, tokens.accessToken, tokens.subject);
    expect(userinfo).toEqual({
      sub: tokens.subject,
      name: 'The ada',
      preferred_username: 'ada',
      email: 'ada@example.org',
      email_verified: false,
      updated_at: expect.any(Number),
    });
  });
});
