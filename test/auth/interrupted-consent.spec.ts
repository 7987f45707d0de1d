import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import type { Command } from '@nestjs/cqrs';
import type * as oidc from 'openid-client';
import type { ClientCredentials } from '../../src/commands/application/applications.js';
import { RevokeGrants } from '../../src/commands/grant/revoke-grants.js';
import { SignOutEverywhere } from '../../src/commands/account/sign-ins.js';
import { SuspendAccount } from '../../src/commands/account/accounts.js';
import { UpdateApplication } from '../../src/commands/application/update-application.js';
import { SuspendApplication } from '../../src/commands/application/applications.js';
import { password, redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, discover, errorOf, exchange } from './support/flow.js';
import type { Attempt } from './support/flow.js';
import { Visitor } from './support/visitor.js';
import type { PageAnswer } from './support/visitor.js';

let network: AuthNetwork;
let people = 0;

beforeAll(async () => {
  network = await startAuthNetwork();
});

afterAll(() => network.stop());

/** A new person at the consent page of a new application. */
interface PendingConsent {
  readonly actorId: string;
  readonly application: ClientCredentials;
  readonly client: oidc.Configuration;
  readonly attempt: Attempt;
  readonly visitor: Visitor;
  readonly consent: PageAnswer;
}

async function atConsent(): Promise<PendingConsent> {
  const handle = `person_${++people}`;
  const actorId = await network.createAccount(handle);
  const application = await network.registerApplication();
  const client = await discover(network, application);
  const visitor = new Visitor(network.baseUrl);
  const attempt = await authorizationRequest(client, 'openid offline_access read');
  const consent = await visitor.submit(await visitor.open(attempt.url), { handle, password });
  return { actorId, application, client, attempt, visitor, consent };
}

/** Consents, and returns the address at which the browser fetches the code. */
async function allow({ visitor, consent }: PendingConsent): Promise<URL> {
  const form = consent.forms.find(({ action }) => action.endsWith('/consent'));
  const answer = await visitor.request(new URL(form?.action ?? '', network.baseUrl), {
    method: 'POST',
    headers: { origin: network.baseUrl },
    body: new URLSearchParams({ ...form?.fields, decision: 'allow' }),
  });
  expect(answer.status).toBe(303);
  return new URL(answer.headers.get('location') ?? '', network.baseUrl);
}

const execute = (command: Command<unknown>) => network.app().get(CommandBus).execute(command);
const metadata = { requestId: 'r', operator: 'test', reason: 'a test' };
const confirmed = { endsGrants: true };
const acts = {
  suspendsPerson: ({ actorId }: PendingConsent) => execute(new SuspendAccount(actorId, metadata)),
  suspendsApplication: ({ application }: PendingConsent) =>
    execute(new SuspendApplication(application.clientId, metadata)),
  losesAddress: ({ application: { clientId } }: PendingConsent) =>
    execute(new UpdateApplication(clientId, { redirectUris: ['https://new.example/'] }, confirmed, metadata)),
  losesScope: ({ application: { clientId } }: PendingConsent) =>
    execute(new UpdateApplication(clientId, { scopes: ['openid'] }, confirmed, metadata)),
  signsOut: ({ actorId }: PendingConsent) => execute(new SignOutEverywhere(actorId, metadata)),
  disconnects: ({ actorId }: PendingConsent) =>
    execute(new RevokeGrants({ cause: 'person', actorId }, metadata)),
};
type Act = keyof typeof acts;

const isAtApplication = ({ url }: PageAnswer) => url.startsWith(redirectUri);

describe('a consent makes no grant if, while the page was open,', () => {
  it.each<readonly [string, Act, string]>([
    ['the person was suspended', 'suspendsPerson', 'login_required'],
    ['the application was suspended', 'suspendsApplication', 'social_authority_required'],
    ['the application lost the address', 'losesAddress', 'invalid_redirect_uri'],
    ['the application lost a scope', 'losesScope', 'invalid_scope'],
    ['the person signed out everywhere', 'signsOut', 'invalid_request'],
  ])('%s', async (_what, act, code) => {
    const pending = await atConsent();
    await acts[act](pending);
    const refused = await pending.visitor.submit(pending.consent, { decision: 'allow' });
    expect([refused.status >= 400, isAtApplication(refused)]).toEqual([true, false]);
    expect(refused.text).toContain(code);
    const { dataSource } = network.database();
    const grants = `SELECT FROM authority.app_grant WHERE actor_id = $1`;
    expect(await dataSource.query(grants, [pending.actorId])).toEqual([]);
  });
});

describe('a consent brings no code if, before the redirect,', () => {
  it.each<readonly [string, Act, string]>([
    ['the person was suspended', 'suspendsPerson', 'name="password"'],
    ['the application was suspended', 'suspendsApplication', 'invalid_client'],
    ['the application lost the address', 'losesAddress', 'invalid_redirect_uri'],
    ['the person signed out everywhere', 'signsOut', 'invalid_request'],
    ['the person disconnected the application, and they are asked again', 'disconnects', 'name="decision"'],
  ])('%s', async (_what, act, text) => {
    const pending = await atConsent();
    const next = await allow(pending);
    await acts[act](pending);
    const answer = await pending.visitor.open(next);
    expect(isAtApplication(answer)).toBe(false);
    expect(answer.text).toContain(text);
  });
});

describe('a code, before its exchange,', () => {
  it.each<readonly [string, Act, { readonly status: number; readonly error: string } | undefined]>([
    [
      'becomes invalid when the person is suspended',
      'suspendsPerson',
      { status: 400, error: 'invalid_grant' },
    ],
    [
      'becomes invalid when the application is suspended',
      'suspendsApplication',
      { status: 401, error: 'invalid_client' },
    ],
    [
      'becomes invalid when the application is disconnected',
      'disconnects',
      { status: 400, error: 'invalid_grant' },
    ],
    ['stays valid when the person signs out everywhere', 'signsOut', undefined],
  ])('%s', async (_what, act, error) => {
    const pending = await atConsent();
    const { url } = await pending.visitor.open(await allow(pending));
    await acts[act](pending);
    expect(await errorOf(exchange(pending.client, new URL(url), pending.attempt))).toEqual(error);
  });
});

describe('two tabs of one browser', () => {
  it('complete their own authorization requests', async () => {
    const { client, attempt, visitor, consent } = await atConsent();
    const second = await authorizationRequest(client, 'read post:create');
    const other = await visitor.open(second.url);
    const ends = [
      [second, await visitor.submit(other, { decision: 'allow' })],
      [attempt, await visitor.submit(consent, { decision: 'allow' })],
    ] as const;
    const granted = await Promise.all(
      ends.map(async ([of, { url }]) => (await exchange(client, new URL(url), of)).scope),
    );
    expect(granted).toEqual(['post:create read', 'offline_access openid read']);
  });
});
