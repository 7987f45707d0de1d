import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type * as oidc from 'openid-client';
import type { ClientCredentials } from '../../src/commands/application/applications.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { password, redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, connect, discover } from './support/flow.js';
import type { Connected } from './support/flow.js';
import { basicCredentials, formContentType, post, send } from './support/raw.js';
import type { RawAnswer } from './support/raw.js';
import { Visitor } from './support/visitor.js';

let network: AuthNetwork;
let application: ClientCredentials;
let client: oidc.Configuration;
let connected: Connected;
let actorId: string;
/** Signed in as ada. */
let visitor: Visitor;

beforeAll(async () => {
  network = await startAuthNetwork({ hasOwnPostgres: true });
  application = await network.registerApplication();
  client = await discover(network, application);
  actorId = await network.createAccount('ada');
  connected = await connect(client, new Browser(network.baseUrl), 'ada');
  visitor = new Visitor(network.baseUrl);
  const { url } = await authorizationRequest(client, 'openid');
  await visitor.submit(await visitor.open(url), { handle: 'ada', password });
});

afterAll(() => network.stop());

/** An error as the client receives it. `status`: 303 for an error in a redirect. */
interface Refused {
  readonly status: number;
  readonly members: Readonly<Record<string, string>>;
}

const errorInBody = ({ status, body }: RawAnswer): Refused => ({
  status,
  members: body as Refused['members'],
});

/** The authorization endpoint's error. By default the browser has no session. */
async function errorInRedirect(
  changes: Readonly<Record<string, string>>,
  browser = new Visitor(network.baseUrl),
): Promise<Refused> {
  const { url } = await authorizationRequest(client, 'openid', changes);
  const answer = await browser.open(url);
  if (!answer.url.startsWith(redirectUri))
    return errorInBody(await send(network, { path: url.pathname + url.search }));
  return { status: 303, members: Object.fromEntries(new URL(answer.url).searchParams) };
}

async function decide(decision: string): Promise<Refused> {
  const { url } = await authorizationRequest(client, 'openid');
  const callback = await visitor.submit(await visitor.open(url), { decision });
  return { status: 303, members: Object.fromEntries(new URL(callback.url).searchParams) };
}

const query = (sql: string) => network.database().dataSource.query(sql);

/** Sends the request while the authority store is changed. */
async function withStoreChange<Answer>(
  change: string,
  undo: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  await query(change);
  try {
    return await ask();
  } finally {
    await query(undo);
  }
}

const withoutRecords = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
  withStoreChange(
    'ALTER TABLE authority.oidc_record RENAME COLUMN payload TO elsewhere',
    'ALTER TABLE authority.oidc_record RENAME COLUMN elsewhere TO payload',
    ask,
  );

const atToken = async (parameters: Readonly<Record<string, string>>, by = application) =>
  errorInBody(await post(network, 'token', by, parameters));

const refresh = (token = connected.refreshToken) =>
  atToken({ grant_type: 'refresh_token', refresh_token: token });

const unknownClient = { clientId: 'nobody', clientSecret: 'nothing' };
const forgedIdToken = () => `${connected.idToken.slice(0, -8)}AAAAAAAA`;

/** Each published code with a request that it answers and the status. */
const table: readonly (readonly [string, () => Promise<Refused>, number])[] = [
  ['invalid_request', () => atToken({}), 400],
  ['invalid_client', () => atToken({ grant_type: 'refresh_token' }, unknownClient), 401],
  ['invalid_grant', () => refresh('x'.repeat(43)), 400],
  ['invalid_scope', () => errorInRedirect({ scope: 'everything' }), 303],
  ['unsupported_grant_type', () => atToken({ grant_type: 'password' }), 400],
  ['unsupported_response_type', () => errorInRedirect({ response_type: 'token' }), 303],
  ['access_denied', () => decide('deny'), 303],
  [
    'temporarily_unavailable',
    async () => {
      await network.postgres.stop();
      try {
        return await refresh();
      } finally {
        await network.postgres.start();
      }
    },
    503,
  ],
  ['server_error', () => withoutRecords(refresh), 500],
  [
    'invalid_token',
    async () => {
      const headers = [['authorization', 'Bearer nonsense']] as const;
      return errorInBody(await send(network, { path: '/api/auth/oauth2/userinfo', headers }));
    },
    401,
  ],
  [
    'unsupported_token_type',
    async () => errorInBody(await post(network, 'revoke', application, { token: connected.idToken })),
    400,
  ],
  ['invalid_target', () => errorInRedirect({ resource: 'https://other.example' }), 303],
  ['invalid_signature', () => errorInRedirect({ id_token_hint: forgedIdToken() }), 303],
  ['invalid_redirect_uri', () => errorInRedirect({ redirect_uri: 'https://evil.example/' }), 400],
  ['invalid_request_uri', () => errorInRedirect({ request_uri: 'nonsense' }), 303],
  ['request_not_supported', () => errorInRedirect({ request: 'e30.e30.' }), 303],
  [
    'request_uri_not_supported',
    () => errorInRedirect({ request_uri: 'urn:ietf:params:oauth:request_uri:x' }),
    303,
  ],
  ['login_required', () => errorInRedirect({ prompt: 'none' }), 303],
  [
    'interaction_required',
    () =>
      withStoreChange(
        `UPDATE authority.account SET state = 'suspended' WHERE actor_id = '${actorId}'`,
        `UPDATE authority.account SET state = 'active' WHERE actor_id = '${actorId}'`,
        () => errorInRedirect({ prompt: 'none' }, visitor),
      ),
    303,
  ],
  ['account_selection_required', () => errorInRedirect({ prompt: 'none', login_hint: 'bob' }, visitor), 303],
  ['consent_required', () => errorInRedirect({ prompt: 'none' }, visitor), 303],
];

const document = readFileSync(new URL('../../docs/network-api.md', import.meta.url), 'utf8');
const [, list = ''] = /### OAuth protocol codes\n\n(.+)\n/.exec(document) ?? [];
const published = [...list.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => code);

const aText = expect.stringMatching(/./);

describe('the OAuth code', () => {
  it('of each row of this table is published, and each published code has a row [error-oauth-codes]', () => {
    expect(published).toHaveLength(21);
    expect(table.map(([code]) => code)).toEqual(published);
  });

  it.each(table)(
    '%s answers a real request, with exactly these members [error-oauth-codes, token-bodies]',
    async (code, ask, status) => {
      const refused = await ask();
      const inRedirect = status === 303 ? { iss: network.issuer, state: aText } : {};
      expect(refused).toEqual({
        status,
        members: { error: code, error_description: aText, ...inRedirect },
      });
    },
  );
});

describe('a client that asks for a page', () => {
  const accept = ['accept', 'text/html'] as const;
  const refreshWith = (refreshToken: string) =>
    send(network, {
      method: 'POST',
      path: '/api/auth/oauth2/token',
      headers: [basicCredentials(application), formContentType, accept],
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }).toString(),
    });

  it('gets an Error object from an operation of the document all the same', async () => {
    const refused = await refreshWith('x'.repeat(43));
    expect([refused.status, refused.body]).toMatchObject([400, { error: 'invalid_grant' }]);
    const failed = await withoutRecords(() => refreshWith(connected.refreshToken));
    expect([failed.status, failed.body]).toMatchObject([500, { error: 'server_error' }]);
  });

  it('gets a page where the authorization endpoint fails', async () => {
    const { url } = await authorizationRequest(client, 'openid');
    const path = url.pathname + url.search;
    const failed = await withoutRecords(() => send(network, { path, headers: [accept] }));
    expect([failed.status, failed.headers.vary]).toEqual([500, 'Accept']);
    expect(failed.text).toContain('<h1>Something failed here</h1>');
    expect(failed.text).toContain('server_error');
  });
});
