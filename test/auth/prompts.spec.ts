import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type * as oidc from 'openid-client';
import { Browser } from '../../src/programs/demo/browser.js';
import { password, redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, connect, discover, exchange } from './support/flow.js';
import { Visitor } from './support/visitor.js';
import type { PageAnswer } from './support/visitor.js';

let network: AuthNetwork;
let client: oidc.Configuration;
let adaId: string;
/** Signed in as ada. */
let visitor: Visitor;
let idToken: string;
let bobsIdToken: string;

beforeAll(async () => {
  network = await startAuthNetwork();
  client = await discover(network, await network.registerApplication());
  adaId = await network.createAccount('ada');
  await network.createAccount('bob');
  ({ idToken } = await connect(client, new Browser(network.baseUrl), 'ada'));
  ({ idToken: bobsIdToken } = await connect(client, new Browser(network.baseUrl), 'bob'));
  visitor = new Visitor(network.baseUrl);
  const { url } = await authorizationRequest(client, 'openid');
  await visitor.submit(await visitor.open(url), { handle: 'ada', password });
});

afterAll(() => network.stop());

type Changes = Readonly<Record<string, string>>;

const ask = async (changes: Changes, scope = 'openid') =>
  visitor.open((await authorizationRequest(client, scope, changes)).url);

const errorIn = ({ url }: PageAnswer) => {
  expect(url.startsWith(redirectUri)).toBe(true);
  return new URL(url).searchParams.get('error');
};

const query = (sql: string, parameters: unknown[] = []) =>
  network.database().dataSource.query(sql, parameters);

const isSignIn = ({ text }: PageAnswer) => text.includes('name="password"');
const isConsent = ({ text }: PageAnswer) => text.includes('name="decision"');

describe('prompt=none refuses', () => {
  const prompt = 'none';

  it('with login_required without a session', async () => {
    const { url } = await authorizationRequest(client, 'openid', { prompt });
    expect(errorIn(await new Visitor(network.baseUrl).open(url))).toBe('login_required');
  });

  it('with consent_required with a session, since consent is asked for each time', async () => {
    expect(errorIn(await ask({ prompt }))).toBe('consent_required');
    expect(errorIn(await ask({ prompt, id_token_hint: idToken }))).toBe('consent_required');
  });

  it('with login_required if the ID token is of another person', async () => {
    expect(errorIn(await ask({ prompt, id_token_hint: bobsIdToken }))).toBe('login_required');
  });

  it.each(['bob', '@bob', 'bob@example.org', 'nobody'])(
    'with account_selection_required for the hint %s, if another account is signed in',
    async (hint) => {
      expect(errorIn(await ask({ prompt, login_hint: hint }))).toBe('account_selection_required');
    },
  );

  it.each(['ada', '@ada', ' Ada ', 'ada@example.org'])(
    'not for the hint %j, which names the signed-in account',
    async (hint) => {
      expect(errorIn(await ask({ prompt, login_hint: hint }))).toBe('consent_required');
    },
  );

  it('an application that the person never connected with the same code for every hint, so that it cannot guess names [registration-no-authority]', async () => {
    const stranger = await discover(network, await network.registerApplication());
    for (const login_hint of ['ada', 'ada@example.org', 'bob', 'nobody']) {
      const { url } = await authorizationRequest(stranger, 'openid', { prompt, login_hint });
      expect(errorIn(await visitor.open(url))).toBe('consent_required');
    }
    const { url } = await authorizationRequest(stranger, 'openid', { login_hint: 'bob' });
    expect(isSignIn(await visitor.open(url))).toBe(true);
  });

  it('with interaction_required if the signed-in account is suspended', async () => {
    await query(`UPDATE authority.account SET state = 'suspended' WHERE actor_id = $1`, [adaId]);
    try {
      expect(errorIn(await ask({ prompt }))).toBe('interaction_required');
      expect(isSignIn(await ask({ prompt: 'consent' }))).toBe(true);
    } finally {
      await query(`UPDATE authority.account SET state = 'active' WHERE actor_id = $1`, [adaId]);
    }
  });
});

describe('an authorization request refuses an ID token as a hint', () => {
  const [header, claims] = ['{"alg":"RS256"}', '{}'].map((text) => Buffer.from(text).toString('base64url'));
  const tampered = () => {
    const [head = '', body = '', signature = ''] = idToken.split('.');
    const other = { ...(JSON.parse(atob(body)) as object), sub: 'another' };
    return [head, Buffer.from(JSON.stringify(other)).toString('base64url'), signature].join('.');
  };

  it.each([
    ['that was tampered with', tampered, 'invalid_signature'],
    ['with a foreign signature', () => `${header}.${claims}.${'x'.repeat(342)}`, 'invalid_signature'],
    [
      'without a signature',
      () => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${idToken.split('.')[1]}.`,
      'invalid_signature',
    ],
    ['that is malformed', () => 'nonsense', 'invalid_request'],
  ])('%s', async (_what, hint, error) => {
    expect(errorIn(await ask({ id_token_hint: hint() }))).toBe(error);
  });

  it('that was issued to another application', async () => {
    const other = await discover(network, await network.registerApplication());
    const { url } = await authorizationRequest(other, 'openid', { id_token_hint: idToken });
    expect(errorIn(await visitor.open(url))).toBe('invalid_request');
  });
});

describe('a signed-in person', () => {
  it('is asked for consent alone', async () => {
    expect(isConsent(await ask({}))).toBe(true);
    expect(isConsent(await ask({ prompt: '' }))).toBe(true);
    expect(isConsent(await ask({ max_age: '3600' }))).toBe(true);
    expect(isConsent(await ask({ login_hint: 'ada', id_token_hint: idToken }))).toBe(true);
  });

  it.each<readonly [string, Changes]>([
    ['prompt=login', { prompt: 'login' }],
    ['prompt=login consent', { prompt: 'login consent' }],
    ['max_age=0', { max_age: '0' }],
    ['a hint of another account', { login_hint: 'bob' }],
  ])('signs in again for %s, and the ID token has their subject', async (_what, changes) => {
    const attempt = await authorizationRequest(client, 'openid', changes);
    const signIn = await visitor.open(attempt.url);
    expect(isSignIn(signIn)).toBe(true);
    const consent = await visitor.submit(signIn, { handle: 'ada', password });
    expect(isConsent(consent)).toBe(true);
    const allowed = await visitor.submit(consent, { decision: 'allow' });
    const tokens = await exchange(client, new URL(allowed.url), attempt);
    const claims = tokens.claims();
    expect(claims?.sub).toBe((JSON.parse(atob(idToken.split('.')[1] ?? '')) as { sub: string }).sub);
  });

  it('signs in again after max_age, and the ID token has the time of the sign-in', async () => {
    await query(
      `UPDATE authority.oidc_record SET payload = payload || jsonb_build_object('loginTs', $2::int)
       WHERE kind = 'Session' AND payload->>'accountId' = $1`,
      [adaId, Math.floor(Date.now() / 1000) - 7200],
    );
    expect(isConsent(await ask({ max_age: '8000' }))).toBe(true);
    const before = Math.floor(Date.now() / 1000);
    const attempt = await authorizationRequest(client, 'openid', { max_age: '3600' });
    const signIn = await visitor.open(attempt.url);
    expect(isSignIn(signIn)).toBe(true);
    const consent = await visitor.submit(signIn, { handle: 'ada', password });
    const allowed = await visitor.submit(consent, { decision: 'allow' });
    const tokens = await exchange(client, new URL(allowed.url), attempt);
    expect(tokens.claims()?.auth_time).toBeGreaterThanOrEqual(before);
  });
});

describe('a sign-in', () => {
  it('replaces the session identifier from before it (session fixation)', async () => {
    const browser = new Visitor(network.baseUrl);
    const { url } = await authorizationRequest(client, 'openid', { prompt: 'login consent' });
    const signIn = async () => browser.submit(await browser.open(url), { handle: 'ada', password });
    await signIn();
    const planted = browser.cookie('plaza_session');
    await signIn();
    expect(browser.cookie('plaza_session')).not.toBe(planted);
    const thief = new Visitor(network.baseUrl);
    thief.plant('plaza_session', planted);
    expect(isSignIn(await thief.open((await authorizationRequest(client, 'openid')).url))).toBe(true);
    const victim = new Visitor(network.baseUrl);
    victim.plant('plaza_session', { ...planted, value: 'made-up' });
    await victim.submit(await victim.open(url), { handle: 'ada', password });
    expect(victim.cookie('plaza_session').value).not.toBe('made-up');
  });
});
