import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientCredentials } from '../../src/commands/application/applications.js';
import { streams } from '../../src/log/streams.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { password, redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, discover, isLive } from './support/flow.js';
import type { Attempt } from './support/flow.js';
import { post } from './support/raw.js';
import type { RawAnswer } from './support/raw.js';

let network: AuthNetwork;
let application: ClientCredentials;
let client: oidc.Configuration;
let other: ClientCredentials;

beforeAll(async () => {
  network = await startAuthNetwork();
  application = await network.registerApplication();
  other = await network.registerApplication();
  await network.createAccount('ada');
  client = await discover(network, application);
});

afterAll(() => network.stop());

interface Issued {
  readonly code: string;
  readonly attempt: Attempt;
}

async function issueCode(changes: Readonly<Record<string, string>> = {}): Promise<Issued> {
  const attempt = await authorizationRequest(client, 'openid offline_access read', changes);
  const callback = await new Browser(network.baseUrl).authorize(attempt.url, { handle: 'ada', password });
  return { code: callback.searchParams.get('code') ?? '', attempt };
}

type Changes = Readonly<Record<string, string | undefined>>;

/** Exchanges the code with changed parameters; undefined: left out. */
function exchange({ code, attempt }: Issued, changes: Changes = {}, by = application): Promise<RawAnswer> {
  const parameters = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: attempt.verifier,
    ...changes,
  };
  const given = Object.entries(parameters).filter((each): each is [string, string] => each[1] !== undefined);
  return post(network, 'token', by, Object.fromEntries(given));
}

const outcome = ({ status, body }: RawAnswer) => [status, body.error];

async function grantOf(token: string): Promise<string> {
  const [row] = await network
    .database()
    .dataSource.query('SELECT grant_id FROM authority.oidc_record WHERE key_hash = sha256($1::bytea)', [
      Buffer.from(token),
    ]);
  return row.grant_id as string;
}

const grantEventsOf = async (grantId: string) =>
  (await network.log().read(streams.grant(grantId))).map(({ event }) => event);

describe('the token endpoint refuses a code, which its application can still exchange,', () => {
  const verifierOf = ({ attempt }: Issued) => attempt.verifier;

  it.each<readonly [string, (issued: Issued) => Changes, string]>([
    ['with another verifier', () => ({ code_verifier: oidc.randomPKCECodeVerifier() }), 'invalid_grant'],
    ['without a verifier', () => ({ code_verifier: undefined }), 'invalid_request'],
    ['with an empty verifier', () => ({ code_verifier: '' }), 'invalid_request'],
    [
      'with the challenge as its verifier (method plain)',
      ({ attempt }) => ({ code_verifier: attempt.url.searchParams.get('code_challenge') ?? '' }),
      'invalid_grant',
    ],
    ['with a truncated verifier', (it) => ({ code_verifier: verifierOf(it).slice(1) }), 'invalid_request'],
    ['with an extended verifier', (it) => ({ code_verifier: `${verifierOf(it)}x` }), 'invalid_grant'],
    ['without the redirect_uri', () => ({ redirect_uri: undefined }), 'invalid_request'],
    ['with another redirect_uri', () => ({ redirect_uri: `${redirectUri}/` }), 'invalid_grant'],
    ['for another resource', () => ({ resource: 'https://other.example' }), 'invalid_target'],
    [
      'as a refresh token',
      ({ code }) => ({ grant_type: 'refresh_token', refresh_token: code }),
      'invalid_grant',
    ],
  ])('%s [token-code-fields, flow-s256]', async (_what, changes, error) => {
    const issued = await issueCode();
    expect(outcome(await exchange(issued, changes(issued)))).toEqual([400, error]);
    expect(outcome(await exchange(issued, { resource: network.baseUrl }))).toEqual([200, undefined]);
  });

  it('of another application (mixed-up clients)', async () => {
    const issued = await issueCode();
    expect(outcome(await exchange(issued, {}, other))).toEqual([400, 'invalid_grant']);
    expect(outcome(await exchange(issued))).toEqual([200, undefined]);
  });

  it('of another sign-in of the same application (code injection)', async () => {
    const [victims, attackers] = [await issueCode(), await issueCode()];
    const injected = { code: victims.code, attempt: attackers.attempt };
    expect(outcome(await exchange(injected))).toEqual([400, 'invalid_grant']);
    expect(outcome(await exchange(victims))).toEqual([200, undefined]);
  });
});

describe('the token endpoint refuses', () => {
  it.each([
    ['an unknown code', { code: 'x'.repeat(43) }, 'invalid_grant'],
    ['no code', { code: undefined }, 'invalid_request'],
    ['a code with a control character', { code: 'x\0' }, 'invalid_grant'],
    ['no refresh token', { grant_type: 'refresh_token' }, 'invalid_request'],
  ])('%s [token-code-fields, token-refresh-fields]', async (_what, changes, error) => {
    const attempt = await authorizationRequest(client, 'read');
    expect(outcome(await exchange({ code: '', attempt }, changes))).toEqual([400, error]);
  });

  it('an expired code', async () => {
    const issued = await issueCode();
    await network.database().dataSource.query(
      `UPDATE authority.oidc_record SET payload = payload || '{"exp": 1}'
       WHERE kind = 'AuthorizationCode' AND key_hash = sha256($1::bytea)`,
      [Buffer.from(issued.code)],
    );
    expect(outcome(await exchange(issued))).toEqual([400, 'invalid_grant']);
  });

  it('a used code, and ends its grant with all its tokens [flow-callback]', async () => {
    const issued = await issueCode();
    const { body } = await exchange(issued);
    expect(await isLive(client, body.access_token)).toBe(true);
    const grantId = await grantOf(body.access_token);
    expect(outcome(await exchange(issued))).toEqual([400, 'invalid_grant']);
    expect(await isLive(client, body.access_token)).toBe(false);
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    expect(outcome(await post(network, 'token', application, refresh))).toEqual([400, 'invalid_grant']);
    expect((await grantEventsOf(grantId)).slice(1)).toEqual([
      expect.objectContaining({
        type: 'grant.reuse_detected',
        data: expect.objectContaining({ of: 'authorization_code', at: expect.any(Number) }),
      }),
      expect.objectContaining({
        type: 'grant.revoked',
        data: expect.objectContaining({ cause: 'reuse', at: expect.any(Number) }),
      }),
    ]);
  });

  it.each<readonly [string, Changes]>([
    ['another verifier', { code_verifier: 'v'.repeat(43) }],
    ['no verifier', { code_verifier: undefined }],
    ['another redirect_uri', { redirect_uri: `${redirectUri}/` }],
    ['no redirect_uri', { redirect_uri: undefined }],
  ])('a used code also with %s, and ends its grant once', async (_what, changes) => {
    const issued = await issueCode();
    const { body } = await exchange(issued);
    const grantId = await grantOf(body.access_token);
    expect((await exchange(issued, changes)).status).toBe(400);
    expect(await isLive(client, body.access_token)).toBe(false);
    expect((await exchange(issued)).status).toBe(400);
    expect((await grantEventsOf(grantId)).slice(1)).toEqual([
      expect.objectContaining({
        type: 'grant.reuse_detected',
        data: expect.objectContaining({ of: 'authorization_code' }),
      }),
      expect.objectContaining({ type: 'grant.revoked' }),
    ]);
  });

  it.each([
    ['another application', () => other],
    ['a client without the secret', () => ({ ...application, clientSecret: 'guessed' })],
  ])('a used code from %s, and keeps its grant', async (_who, by) => {
    const issued = await issueCode();
    const { body } = await exchange(issued);
    expect((await exchange(issued, {}, by())).status).toBeGreaterThanOrEqual(400);
    expect(await isLive(client, body.access_token)).toBe(true);
  });

  it('all but one of sixteen concurrent exchanges of one code, and ends its grant', async () => {
    const issued = await issueCode();
    const answers = await Promise.all(Array.from({ length: 16 }, () => exchange(issued)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = answers.find(({ status }) => status === 200);
    expect(await isLive(client, winner?.body.access_token)).toBe(false);
  });
});

describe('each use of a grant', () => {
  it('is in the log, with application, address class and time', async () => {
    const issued = await issueCode();
    const { body } = await exchange(issued);
    const grantId = await grantOf(body.access_token);
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    expect(outcome(await post(network, 'token', application, refresh))).toEqual([200, undefined]);
    expect(outcome(await post(network, 'token', application, refresh))).toEqual([400, 'invalid_grant']);
    const recorded = await network.log().read(streams.grant(grantId));
    expect(recorded.map(({ event }) => event.type)).toEqual([
      'grant.issued',
      'grant.refreshed',
      'grant.reuse_detected',
      'grant.revoked',
    ]);
    expect(recorded[2]?.event.data).toMatchObject({ of: 'refresh_token' });
    for (const { metadata, event } of recorded) {
      expect(metadata).toMatchObject({ appId: application.clientId, addressClass: 'loopback', grantId });
      expect(metadata.requestId).toMatch(/^[0-9a-f-]{36}$/);
      expect(Math.abs((event.data as { at: number }).at - Date.now())).toBeLessThan(60_000);
    }
    expect(new Set(recorded.map(({ metadata }) => metadata.requestId)).size).toBe(3);
  });

  it('is refused while the log is unavailable, and the token can be used afterwards', async () => {
    const issued = await issueCode();
    const { body } = await exchange(issued);
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    await network.eventStore.stop();
    const refused = await post(network, 'token', application, refresh);
    expect(outcome(refused)).toEqual([503, 'temporarily_unavailable']);
    expect(refused.headers['retry-after']).toMatch(/^[1-9]/);
    expect(await isLive(client, body.access_token)).toBe(true);
    await network.eventStore.start();
    expect(outcome(await post(network, 'token', application, refresh))).toEqual([200, undefined]);
  });

  it('is refused if the log has its end and the authority store does not', async () => {
    const issued = await issueCode();
    const { body } = await exchange(issued);
    const grantId = await grantOf(body.access_token);
    const [first] = await network.log().read(streams.grant(grantId));
    const { appId, actorId } = (first?.event.data ?? {}) as { appId: string; actorId: string };
    await network.log().append({
      stream: streams.grant(grantId),
      expected: first?.revision ?? 0n,
      events: [
        {
          id: crypto.randomUUID(),
          event: {
            type: 'grant.revoked',
            data: { grantId, appId, actorId, cause: 'operator', at: Date.now() },
          },
        },
      ],
      metadata: { requestId: 'r' },
    });
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    expect(outcome(await post(network, 'token', application, refresh))).toEqual([400, 'invalid_grant']);
  });
});
