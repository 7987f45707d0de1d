import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type * as oidc from 'openid-client';
import { SignInLimits } from '../../src/doors/auth/sign-in/sign-in-limits.js';
import { streams } from '../../src/log/streams.js';
import { password, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, discover, exchange } from './support/flow.js';
import { Visitor } from './support/visitor.js';
import type { PageAnswer } from './support/visitor.js';

let network: AuthNetwork;
let client: oidc.Configuration;
let account: string;
let people = 0;

beforeAll(async () => {
  network = await startAuthNetwork();
  client = await discover(network, await network.registerApplication());
  account = `${network.issuer}/account`;
  await network.createAccount('ada');
});

afterAll(() => network.stop());

/** A new browser at the sign-up page of the account page. */
async function openSignUp(): Promise<[Visitor, PageAnswer]> {
  const visitor = new Visitor(network.baseUrl);
  return [visitor, await visitor.open(`${account}/sign-up`)];
}

function newPerson() {
  const handle = `new_${++people}`;
  return { handle, displayName: `New ${people}`, email: `${handle}@example.org`, password };
}

const accountsOf = async (handle: string): Promise<string[]> =>
  (
    await network
      .database()
      .dataSource.query('SELECT actor_id FROM authority.account WHERE handle = $1', [handle])
  ).map((row: { actor_id: string }) => row.actor_id);

const faultsIn = ({ text }: PageAnswer) =>
  Object.fromEntries(
    [...text.matchAll(/id="(\w+)-fault" role="alert">([^<]*)</g)].map(([, name, words]) => [name, words]),
  );
const problemIn = ({ text }: PageAnswer) => /class="problem" role="alert">([^<]*)</.exec(text)?.[1];

describe('signing up', () => {
  it('is offered on the sign-in page, and ends at the account page', async () => {
    const visitor = new Visitor(network.baseUrl);
    const signIn = await visitor.open(account);
    expect(signIn.text).toContain('href="/api/auth/account/sign-up"');
    const person = newPerson();
    const done = await visitor.submit(await visitor.open(`${account}/sign-up`), person);
    expect(done.url).toBe(account);
    expect(done.text).toContain('Welcome');
    expect(done.text).toContain(`@${person.handle}`);
    expect((await visitor.open(`${account}/sign-up`)).url).toBe(account);
  });

  it('is recorded in the log with address class and request id', async () => {
    const [visitor, page] = await openSignUp();
    const person = newPerson();
    await visitor.submit(page, { ...person, handle: ` @${person.handle.toUpperCase()} ` });
    const [actorId = ''] = await accountsOf(person.handle);
    const recorded = await network.log().read(streams.account(actorId));
    expect(recorded).toEqual([
      expect.objectContaining({
        event: expect.objectContaining({ type: 'account.registered' }),
        metadata: {
          addressClass: 'loopback',
          requestId: expect.stringMatching(/^[\da-f-]{36}$/),
          clientRequestId: expect.stringMatching(/^[\da-f-]{36}$/),
        },
      }),
    ]);
  });

  it('during an authorization request continues with consent, and returns to the application', async () => {
    const visitor = new Visitor(network.baseUrl);
    const attempt = await authorizationRequest(client, 'openid read');
    const signIn = await visitor.open(attempt.url);
    const [, address = ''] = /href="([^"]*\/sign-up)"/.exec(signIn.text) ?? [];
    const person = newPerson();
    const page = await visitor.open(new URL(address, network.baseUrl));
    expect(page.text).toContain('Pebble');
    const consent = await visitor.submit(page, person);
    expect(consent.text).toContain('name="decision"');
    expect(consent.text).toContain(`@${person.handle}`);
    const [actorId = ''] = await accountsOf(person.handle);
    const [registered] = await network.log().read(streams.account(actorId));
    expect(registered?.metadata).toMatchObject({ appId: client.clientMetadata().client_id });
    const { url } = await visitor.submit(consent, { decision: 'allow' });
    expect((await exchange(client, new URL(url), attempt)).access_token).toBeTruthy();
    expect((await visitor.open(account)).text).toContain(`@${person.handle}`);
  });

  it('explains each invalid field, and keeps the typed values except the password', async () => {
    const [visitor, page] = await openSignUp();
    const typed = { handle: 'a', displayName: '"\u200b', email: 'nowhere', password: 'seven77' };
    const again = await visitor.submit(page, typed);
    expect(again.status).toBe(400);
    expect(faultsIn(again)).toEqual({
      handle: expect.stringContaining('3 to 30'),
      displayName: expect.stringContaining('visible'),
      email: expect.stringContaining('e-mail'),
      password: expect.stringContaining('at least 8'),
    });
    expect(again.text).toContain('aria-describedby="handle-fault handle-hint"');
    expect(again.text).toContain('value="&quot;');
    expect(again.text).toContain('value="nowhere"');
    expect(again.text).not.toContain('seven77');
    const person = newPerson();
    expect((await visitor.submit(again, person)).url).toBe(account);
  });

  it('reports a taken handle, and accepts another one from the same page', async () => {
    const [visitor, page] = await openSignUp();
    const person = newPerson();
    const again = await visitor.submit(page, { ...person, handle: 'ada' });
    expect(again.status).toBe(400);
    expect(faultsIn(again)).toEqual({ handle: expect.stringContaining('choose another') });
    const reserved = await visitor.submit(again, { ...person, handle: 'admin' });
    expect([reserved.status, faultsIn(reserved)]).toEqual([400, faultsIn(again)]);
    expect((await visitor.submit(again, person)).text).toContain(`@${person.handle}`);
  });

  it('makes one account and signs in, however often the form is sent', async () => {
    const [visitor, page] = await openSignUp();
    const person = newPerson();
    const answers = [
      ...(await Promise.all([1, 2, 3].map(() => visitor.submit(page, person)))),
      await visitor.submit(page, person),
    ];
    expect(answers.map(({ url }) => url)).toEqual(Array(4).fill(account));
    expect(await accountsOf(person.handle)).toHaveLength(1);
    expect((await visitor.open(account)).text).toContain(`@${person.handle}`);
  });
});

describe('signing up refuses', () => {
  it.each([
    ['another handle', { handle: 'quite_another' }],
    ['another name', { displayName: 'Another' }],
    ['another address', { email: 'another@example.org' }],
    ['another password', { password: 'another long password' }],
  ])('%s from a page that has already made an account', async (_what, changes) => {
    const [visitor, page] = await openSignUp();
    const person = newPerson();
    await visitor.submit(page, person);
    const again = await visitor.submit(page, { ...person, ...changes });
    expect(again.status).toBe(400);
    expect(problemIn(again)).toContain('already created an account');
    expect(await accountsOf('quite_another')).toEqual([]);
    expect(await accountsOf(person.handle)).toHaveLength(1);
  });

  it('a form of another browser’s page', async () => {
    const [, page] = await openSignUp();
    const [thief] = await openSignUp();
    const person = newPerson();
    const refused = await thief.submit(page, person);
    expect([refused.status, refused.text.includes('invalid_request')]).toEqual([403, true]);
    expect(await accountsOf(person.handle)).toEqual([]);
  });

  it.each(['handle', 'email'] as const)('the %s as a password', async (field) => {
    const [visitor, page] = await openSignUp();
    const person = { ...newPerson(), handle: `somebody_${++people}` };
    const again = await visitor.submit(page, { ...person, password: person[field].toUpperCase() });
    expect(faultsIn(again)).toEqual({ password: expect.stringContaining('neither') });
    expect(await accountsOf(person.handle)).toEqual([]);
  });

  it('a password of more than 1,024 characters', async () => {
    const [visitor, page] = await openSignUp();
    const again = await visitor.submit(page, { ...newPerson(), password: 'x'.repeat(1025) });
    expect(faultsIn(again)).toEqual({ password: expect.stringContaining('at most 1024') });
  });

  it.each([
    ['without Origin', { origin: '' }, {}, 'origin_required'],
    ['from another site', { origin: 'https://evil.example' }, {}, 'origin_mismatch'],
    ['without its hidden field', {}, { form: '' }, 'invalid_request'],
  ])('a form %s', async (_what, headers, fields, code) => {
    const person = newPerson();
    const [visitor, page] = await openSignUp();
    const refused = await visitor.submit(page, { ...person, ...fields }, headers);
    expect([refused.status, refused.text.includes(code)]).toEqual([403, true]);
    expect(await accountsOf(person.handle)).toEqual([]);
  });

  it('attempts above the limit of an address, and does not limit sign-in there', async () => {
    const [visitor, page] = await openSignUp();
    const limits = network.app().get(SignInLimits);
    while ((await limits.takeSignUp('127.0.0.1')).allowed);
    // The server remembers the refusal, and needs no statement.
    await network.database().dataSource.query('DELETE FROM limits.used');
    const person = newPerson();
    const refused = await visitor.submit(page, person);
    const counts = await network.database().dataSource.query('SELECT FROM limits.used');
    const wrong = await visitor.submit(await visitor.open(account), { handle: person.handle, password });
    await network.restartServer();
    expect(counts).toEqual([]);
    expect([refused.status, refused.text.includes('pilot_rate_limited')]).toEqual([429, true]);
    expect(refused.headers.get('ratelimit-policy')).toBe('"sign-up";q=100;w=600');
    expect([wrong.status, wrong.headers.get('ratelimit')]).toEqual([
      400,
      expect.stringContaining('"address";r=99;'),
    ]);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expect(await accountsOf(person.handle)).toEqual([]);
  });

  it('nothing before counting it: an invalid form counts, too', async () => {
    const [visitor, page] = await openSignUp();
    await network.database().dataSource.query('DELETE FROM limits.used');
    const wrong = await visitor.submit(page, { ...newPerson(), displayName: '\u0301\u0316'.repeat(5_000) });
    expect(faultsIn(wrong)).toEqual({ displayName: expect.stringContaining('UTF-16 code units') });
    expect(wrong.headers.get('ratelimit')).toContain('"sign-up";r=99;');
  });

  it('everybody if registration is closed, and then is offered nowhere', async () => {
    const [visitor, page] = await openSignUp();
    const person = newPerson();
    await network.restartServer({ REGISTRATION: 'closed' });
    try {
      const { url } = await authorizationRequest(client, 'read');
      const signIn = await visitor.open(url);
      expect(signIn.text).toContain('name="password"');
      expect(signIn.text + (await visitor.open(account)).text).not.toContain('sign-up');
      const answers = [
        await visitor.open(`${account}/sign-up`),
        await visitor.open(`${signIn.url}/sign-up`),
        await visitor.submit(page, person),
      ];
      for (const { status, text } of answers)
        expect([status, text.includes('social_authority_required')]).toEqual([403, true]);
      expect(await accountsOf(person.handle)).toEqual([]);
    } finally {
      await network.restartServer();
    }
  });
});
