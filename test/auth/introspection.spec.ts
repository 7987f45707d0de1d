import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { streams } from '../../src/log/streams.js';
import type { AuthNetwork } from './support/auth-network.js';
import { ConnectingApplication } from './support/connecting-application.js';

let application: ConnectingApplication;
let network: AuthNetwork;

beforeAll(async () => {
  application = await ConnectingApplication.start('ada');
  ({ network } = application);
});

afterAll(() => network?.stop());

describe('introspection', () => {
  it('describes a live token, with a pairwise subject [credentials-basic]', async () => {
    const { accessToken, refreshToken, subject } = await application.connect();
    for (const token of [accessToken, refreshToken]) {
      const { status, headers, body } = await application.post('introspect', { token });
      expect(status).toBe(200);
      expect(headers['cache-control']).toBe('no-store');
      expect(body).toMatchObject({ active: true, client_id: application.credentials.clientId, sub: subject });
      expect(body.iss).toBe(network.issuer);
      expect(body.scope.split(' ').sort()).toEqual(['offline_access', 'openid', 'post:create', 'read']);
    }
  });

  it.each([
    ['an unknown token', () => 'x'.repeat(43)],
    ['a token with a control character', () => 'x\0'],
    ['a long text', () => 'x'.repeat(50 * 1024)],
  ])('answers only active: false for %s', async (_what, token) => {
    const { status, body } = await application.post('introspect', { token: token() });
    expect([status, body]).toEqual([200, { active: false }]);
  });

  it('answers active: false for an ID token, which is neither an access nor a refresh token', async () => {
    const { idToken } = await application.connect();
    const { status, body } = await application.post('introspect', { token: idToken });
    expect([status, body]).toEqual([200, { active: false }]);
  });

  it('answers active: false for a token of another application', async () => {
    const other = await network.registerApplication();
    const { accessToken } = await application.connect();
    const { body } = await application.post('introspect', { token: accessToken }, other);
    expect(body).toEqual({ active: false });
  });

  it.each([
    ['the grant is revoked', `UPDATE authority.app_grant SET revoked_at = $1 WHERE grant_id = $2`],
    [
      'the actor is suspended',
      `UPDATE authority.account SET state = CASE WHEN $1::bigint IS NULL THEN 'active' ELSE 'suspended' END
       WHERE actor_id = (SELECT actor_id FROM authority.app_grant WHERE grant_id = $2)`,
    ],
  ])(
    'answers active: false from the moment when %s [lifetime-refresh, lifetime-authority]',
    async (_what, change) => {
      const { accessToken, refreshToken } = await application.connect();
      const { dataSource } = network.database();
      const [{ grant_id: grantId }] = await dataSource.query(
        'SELECT grant_id FROM authority.oidc_record WHERE key_hash = sha256($1::bytea)',
        [Buffer.from(accessToken)],
      );
      const asked = async () =>
        Promise.all(
          [accessToken, refreshToken].map(
            async (token) => (await application.post('introspect', { token })).body.active,
          ),
        );
      expect(await asked()).toEqual([true, true]);
      await dataSource.query(change, [Date.now(), grantId]);
      try {
        expect(await asked()).toEqual([false, false]);
      } finally {
        await dataSource.query(change, [null, grantId]);
      }
      expect(await asked()).toEqual([true, true]);
    },
  );
});

describe('revocation', () => {
  it('refuses an ID token, which cannot be revoked', async () => {
    const { idToken } = await application.connect();
    const answer = await application.post('revoke', { token: idToken });
    expect([answer.status, answer.body.error]).toEqual([400, 'unsupported_token_type']);
  });

  it('answers alike, without a body, for an unknown and a known token [credentials-basic]', async () => {
    const { accessToken } = await application.connect();
    for (const token of [accessToken, 'x'.repeat(43)]) {
      const { status, text, headers } = await application.post('revoke', { token });
      expect([status, text]).toEqual([200, '']);
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  it.each([
    ['access', 'accessToken'],
    ['refresh', 'refreshToken'],
  ] as const)(
    'removes the %s token whose grant the log has lost, and every other token of that grant',
    async (_kind, given) => {
      const tokens = await application.connect();
      const { dataSource } = network.database();
      // As after a recovery: the authority store has tokens of a grant that the log lost.
      const grantId = randomUUID();
      await dataSource.query(
        `UPDATE authority.oidc_record SET grant_id = $1, payload = jsonb_set(payload, '{grantId}', to_jsonb($1::text))
         WHERE grant_id = (SELECT grant_id FROM authority.oidc_record WHERE key_hash = sha256($2::bytea))`,
        [grantId, Buffer.from(tokens[given])],
      );
      const left = () => dataSource.query('SELECT FROM authority.oidc_record WHERE grant_id = $1', [grantId]);
      expect((await left()).length).toBeGreaterThan(1);
      for (const _time of ['first', 'again']) {
        const { status, text } = await application.post('revoke', { token: tokens[given] });
        expect([status, text]).toEqual([200, '']);
      }
      expect(await left()).toEqual([]);
      expect(await network.log().read(streams.grant(grantId))).toEqual([]);
    },
  );
});

describe('a token response', () => {
  it('has the published members, and must not be cached [token-bodies, lifetime-access, service-token-basic, summary-token, token-request, credentials-basic]', async () => {
    const { refreshToken } = await application.connect();
    const parameters = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const { status, headers, body } = await application.post('token', parameters);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(
      ['access_token', 'expires_in', 'id_token', 'refresh_token', 'scope', 'token_type'].sort(),
    );
    expect(body).toMatchObject({ expires_in: 300, token_type: 'Bearer' });
    expect(headers['cache-control']).toBe('no-store');
    expect(headers.pragma).toBe('no-cache');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });
});
