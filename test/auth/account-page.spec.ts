import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import type * as oidc from 'openid-client';
import { AuthorizationServer } from '../../src/auth/authorization-server.js';
import { SuspendAccount } from '../../src/commands/suspend-account.js';
import { SuspendApplication } from '../../src/commands/suspend-application.js';
import type { ClientCredentials } from '../../src/commands/register-application.js';
import { streams } from '../../src/log/streams.js';
import { credentialHash } from '../../src/store/authority/credential-hash.js';
import { until } from '../support/until.js';
import { password, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, discover, exchange, isLive } from './support/flow.js';
import { Visitor } from './support/visitor.js';
import type { Answer } from './support/visitor.js';

let network: AuthNetwork;
let application: ClientCredentials;
let client: oidc.Configuration;
let account: string;
let people = 0;

beforeAll(async () => {
  network = await startAuthNetwork();
  application = await network.registerApplication();
  client = await discover(network, application);
  account = `${network.issuer}/account`;
}, 60_000);

afterAll(() => network.stop());

interface Someone {
  readonly handle: string;
  readonly actorId: string;
  readonly visitor: Visitor;
  /** Their account page, after they signed in there. */
  readonly page: Answer;
}

async function enter(handle: string, typed = password): Promise<[Visitor, Answer]> {
  const visitor = new Visitor(network.baseUrl);
  return [visitor, await visitor.submit(await visitor.open(account), { handle, password: typed })];
}

/** A person of their own for a test, signed in at the account page. */
async function someone(): Promise<Someone> {
  const handle = `person_${++people}`;
  const actorId = await network.createAccount(handle);
  const [visitor, page] = await enter(handle);
  return { handle, actorId, visitor, page };
}

/** Lets the application act for who is signed in, and answers its access token. */
async function connect(visitor: Visitor, by = client, scope = 'openid read'): Promise<string> {
  const attempt = await authorizationRequest(by, scope);
  const consent = await visitor.open(attempt.url);
  const { url } = await visitor.submit(consent, { decision: 'allow' });
  return (await exchange(by, new URL(url), attempt)).access_token;
}

async function suspended(handle: string, actorId: string): Promise<void> {
  const metadata = { requestId: handle, operator: 'test', reason: 'a test' };
  await network.app().get(CommandBus).execute(new SuspendAccount(actorId, metadata));
}

const isSignIn = ({ text }: Answer) => text.includes('name="password"');
const alertIn = ({ text }: Answer) => /role="alert"[^>]*>([^<]*)</.exec(text)?.[1];
const noticeIn = ({ text }: Answer) => /role="status">([^<]*)</.exec(text)?.[1];
const isStillIn = async (visitor: Visitor) => !isSignIn(await visitor.open(account));

/** What the log says of a person. */
async function typesIn(stream: string) {
  return (await network.log().read(stream)).map(({ event }) => event.type);
}

describe('the account page', () => {
  it('asks who you are, and then says it', async () => {
    const visitor = new Visitor(network.baseUrl);
    const asked = await visitor.open(account);
    expect(asked.status).toBe(200);
    expect(isSignIn(asked)).toBe(true);
    expect(asked.headers.get('content-security-policy')).toMatch(/default-src 'none'.*form-action 'self';/);
    const { handle, page } = await someone();
    expect(page.text).toContain(`The ${handle}`);
    expect(page.text).toContain(`${handle}@example.org`);
    expect(page.url).toBe(account);
  });

  it('and the OAuth flow have one session: who signs in at one is signed in at the other', async () => {
    const { visitor, handle } = await someone();
    const { url } = await authorizationRequest(client, 'read');
    expect((await visitor.open(url)).text).toContain('name="decision"');
    const other = new Visitor(network.baseUrl);
    await other.submit(await other.open(url), { handle, password });
    expect((await other.open(account)).text).toContain(`@${handle}`);
  });

  it('lists each application with access once: its host, all its scopes in words, since when, and last used', async () => {
    const { visitor, actorId } = await someone();
    await connect(visitor, client, 'openid offline_access read');
    await connect(visitor, client, 'offline_access post:create');
    const other = await discover(network, await network.registerApplication());
    await connect(visitor, other);
    const since = Date.now() - 29 * 24 * 60 * 60_000;
    await network
      .database()
      .dataSource.query(
        `UPDATE authority.app_grant SET issued_at = $3, last_used_at = $4 WHERE actor_id = $1 AND app_id = $2`,
        [actorId, application.clientId, since, since + 300_000],
      );
    const { text } = await visitor.open(account);
    const [, second = '', first = ''] = text.split('<h3>');
    expect(text.split('<h3>')).toHaveLength(3);
    expect(second).not.toContain('Write posts and replies in your name');
    expect(first).toContain('pebble.example');
    expect(first).toContain('Write posts and replies in your name');
    expect(first).toContain('Read your profile');
    const instants = [
      ...first.matchAll(/<time datetime="([^"]*)">\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC</g),
    ];
    expect(instants.map(([, instant]) => Date.parse(instant!)).slice(0, 2)).toEqual([since, since + 300_000]);
  });

  it('disconnects an application with all its grants, and says so once', async () => {
    const { visitor, actorId } = await someone();
    const tokens = [await connect(visitor), await connect(visitor)];
    const other = await discover(network, await network.registerApplication());
    const kept = await connect(visitor, other);
    const grants = await network
      .database()
      .dataSource.query('SELECT grant_id FROM authority.app_grant WHERE actor_id = $1 AND app_id = $2', [
        actorId,
        application.clientId,
      ]);
    const done = await visitor.submit(await visitor.open(account), { application: application.clientId });
    expect(noticeIn(done)).toContain('Disconnected');
    expect(noticeIn(await visitor.open(account))).toBeUndefined();
    expect(await Promise.all(tokens.map((token) => isLive(client, token)))).toEqual([false, false]);
    expect(await isLive(other, kept)).toBe(true);
    const recorded = await network.log().read(streams.grant(grants[0].grant_id));
    expect(recorded.at(-1)).toMatchObject({
      event: { type: 'grant.revoked', data: { cause: 'person', actorId } },
      metadata: { actorId, addressClass: 'loopback', requestId: expect.stringMatching(/^[\da-f-]{36}$/) },
    });
  });

  it('marks an application that is suspended', async () => {
    const { visitor } = await someone();
    const credentials = await network.registerApplication();
    await connect(visitor, await discover(network, credentials));
    await connect(visitor);
    const metadata = { requestId: 'r', operator: 'test', reason: 'a test' };
    await network.app().get(CommandBus).execute(new SuspendApplication(credentials.clientId, metadata));
    const { text } = await visitor.open(account);
    expect(text.match(/Suspended by the network/g)).toHaveLength(1);
  });

  it('changes the password: every other browser is signed out, and this one goes on as another session', async () => {
    const { visitor, page, handle, actorId } = await someone();
    const [other] = await enter(handle);
    const token = await connect(visitor);
    const before = visitor.cookieValues.length;
    const done = await visitor.submit(page, { current: password, new: 'another long password' });
    expect(noticeIn(done)).toContain('Your password is changed');
    expect(visitor.cookieValues.slice(before).some((value) => value.length > 20)).toBe(true);
    expect([await isStillIn(visitor), await isStillIn(other)]).toEqual([true, false]);
    expect(await isLive(client, token)).toBe(true);
    expect(isSignIn((await enter(handle))[1])).toBe(true);
    expect(isSignIn((await enter(handle, 'another long password'))[1])).toBe(false);
    expect(await typesIn(streams.account(actorId))).toContain('account.password_changed');
  });

  it('signs out, there and in the OAuth flow', async () => {
    const { visitor, page } = await someone();
    const token = await connect(visitor);
    const done = await visitor.submitTo(page, '/sign-out');
    expect(noticeIn(done)).toContain('You are signed out');
    expect(isSignIn(done)).toBe(true);
    const { url } = await authorizationRequest(client, 'read');
    expect(isSignIn(await visitor.open(url))).toBe(true);
    expect(await isLive(client, token)).toBe(true);
  });

  it('signs out everywhere, and leaves applications connected', async () => {
    const { visitor, page, handle, actorId } = await someone();
    const [other] = await enter(handle);
    const token = await connect(visitor);
    await visitor.submitTo(page, '/sign-out-everywhere');
    expect([await isStillIn(visitor), await isStillIn(other)]).toEqual([false, false]);
    expect(await isLive(client, token)).toBe(true);
    expect(await typesIn(streams.account(actorId))).toContain('account.signed_out');
  });

  it('signs out everywhere and disconnects every application, if that is asked for', async () => {
    const { visitor, page } = await someone();
    const token = await connect(visitor);
    const done = await visitor.submitTo(page, '/sign-out-everywhere', { disconnect: 'all' });
    expect(noticeIn(done)).toContain('no application is connected');
    expect(await isLive(client, token)).toBe(false);
  });

  it('signs out everywhere also where an application cannot be disconnected, and says so', async () => {
    const { visitor, handle, actorId } = await someone();
    const token = await connect(visitor);
    await network.database().dataSource.query(
      `INSERT INTO authority.app_grant SELECT (jsonb_populate_record(app_grant, jsonb_build_object('grant_id', $2::text))).*
       FROM authority.app_grant WHERE actor_id = $1`,
      [actorId, `lost_${handle}`],
    );
    const page = await visitor.open(account);
    const out = await visitor.submitTo(page, '/sign-out-everywhere', { disconnect: 'all' });
    expect(noticeIn(out)).toContain('Not every application could be disconnected');
    expect(await isStillIn(visitor)).toBe(false);
    expect(await isLive(client, token)).toBe(false);
  });

  it('disconnects then also what was connected in another browser meanwhile', async () => {
    const { visitor, page, handle, actorId } = await someone();
    const [other] = await enter(handle);
    const { dataSource } = network.database();
    const door = dataSource.createQueryRunner();
    await door.startTransaction();
    await door.query('SELECT FROM authority.credential WHERE actor_id = $1 FOR SHARE', [actorId]);
    const answered = visitor.submitTo(page, '/sign-out-everywhere', { disconnect: 'all' });
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    await until(async () => (await dataSource.query<unknown[]>(waiting)).length === 1);
    const token = await connect(other);
    await door.rollbackTransaction();
    await door.release();
    expect(noticeIn(await answered)).toContain('no application is connected');
    expect(await isLive(client, token)).toBe(false);
  });
});

describe('a browser session', () => {
  it('gets a new identifier at each sign-in, so that one which was planted is worth nothing', async () => {
    const victim = new Visitor(network.baseUrl);
    // A session that is nobody's yet, as whoever plants one has it.
    await victim.open(`${network.issuer}/oauth2/end-session`);
    const planted = new Visitor(network.baseUrl);
    planted.takeCookiesOf(victim);
    const { handle } = await someone();
    await victim.submit(await victim.open(account), { handle, password });
    const seen = new Visitor(network.baseUrl);
    seen.takeCookiesOf(victim);
    expect([await isStillIn(victim), await isStillIn(seen), await isStillIn(planted)]).toEqual([
      true,
      true,
      false,
    ]);
    const { url } = await authorizationRequest(client, 'read', { prompt: 'login consent' });
    await victim.submit(await victim.open(url), { handle, password });
    expect([await isStillIn(victim), await isStillIn(seen)]).toEqual([true, false]);
  });

  it('gets one also where the same person signs in again, from a page that was left open', async () => {
    const { handle } = await someone();
    const visitor = new Visitor(network.baseUrl);
    const open = await visitor.open(account);
    await visitor.submit(open, { handle, password });
    const seen = new Visitor(network.baseUrl);
    seen.takeCookiesOf(visitor);
    expect(await isStillIn(seen)).toBe(true);
    await visitor.submit(open, { handle, password });
    expect([await isStillIn(visitor), await isStillIn(seen)]).toEqual([true, false]);
  });

  it('is another’s at once when somebody else signs in with the browser, and the old one is over', async () => {
    const [ana, bob] = [await someone(), await someone()];
    const seen = new Visitor(network.baseUrl);
    seen.takeCookiesOf(ana.visitor);
    const attempt = await authorizationRequest(client, 'openid read', { prompt: 'login consent' });
    const signIn = await ana.visitor.open(attempt.url);
    const typed = { handle: bob.handle, password };
    const sent = await ana.visitor.request(new URL(signIn.forms[0]!.action, network.baseUrl), {
      method: 'POST',
      headers: { origin: network.baseUrl },
      body: new URLSearchParams({ ...signIn.forms[0]!.fields, ...typed }),
    });
    const resumed = await ana.visitor.request(sent.headers.get('location')!);
    // No page that sends itself on in between.
    expect([sent.status, resumed.status]).toEqual([303, 303]);
    const consent = await ana.visitor.open(resumed.headers.get('location')!);
    expect(consent.text).toContain(`@${bob.handle}`);
    const { url } = await ana.visitor.submit(consent, { decision: 'allow' });
    expect((await exchange(client, new URL(url), attempt)).access_token).toBeTruthy();
    expect(await isStillIn(seen)).toBe(false);
    expect((await ana.visitor.open(account)).text).toContain(`@${bob.handle}`);
  });

  it.each<readonly [string, (person: Someone) => Promise<Answer>]>([
    [
      'signed in again',
      async ({ visitor, handle }) => {
        const { url } = await authorizationRequest(client, 'read', { prompt: 'login consent' });
        return visitor.submit(await visitor.open(url), { handle, password });
      },
    ],
    [
      'changed the password',
      ({ visitor, page }) => visitor.submit(page, { current: password, new: 'another long password' }),
    ],
  ])('is over once its person %s, whatever requests under way still write', async (_what, replace) => {
    const person = await someone();
    const { Session } = network.app().get(AuthorizationServer).provider;
    const { value } = person.visitor.cookie('plaza_session');
    const [kept, renamed] = [await Session.find(value), await Session.find(value)];
    expect((await replace(person)).status).toBe(200);
    renamed?.resetIdentifier();
    await kept?.save(1_000);
    await renamed?.save(1_000);
    expect(await Session.find(value)).toBeUndefined();
    expect(await Session.find(renamed!.jti)).toBeUndefined();
    expect(await isStillIn(person.visitor)).toBe(true);
  });

  it('stays who it was where another one could not be kept', async () => {
    const [ana, bob] = [await someone(), await someone()];
    const visitor = new Visitor(network.baseUrl);
    const open = await visitor.open(account);
    await visitor.submit(open, { handle: ana.handle, password });
    const lock = network.database().dataSource.createQueryRunner();
    await lock.startTransaction();
    await lock.query('SELECT FROM authority.oidc_record WHERE key_hash = $1 FOR UPDATE', [
      credentialHash(visitor.cookie('plaza_session').value),
    ]);
    const { status } = await visitor.submit(open, { handle: bob.handle, password });
    await lock.rollbackTransaction();
    await lock.release();
    expect(status).toBe(503);
    expect((await visitor.open(account)).text).toContain(`@${ana.handle}`);
  });
});

describe('refuses', () => {
  it('a wrong password and an unknown handle in the same words', async () => {
    const { handle } = await someone();
    const answers = [(await enter(handle, 'wrong password'))[1], (await enter('nobody_at_all'))[1]];
    expect(new Set(answers.map(alertIn)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect(alertIn(answers[0]!)).toBeTruthy();
  });

  it('a suspended person, who is told so if the password is right, and else what everybody is told', async () => {
    const { handle, actorId, visitor } = await someone();
    await suspended(handle, actorId);
    const [, right] = await enter(handle);
    expect(right.status).toBe(403);
    expect(right.text).toContain('suspended');
    expect(right.text).toContain('social_authority_required');
    const [, wrong] = await enter(handle, 'wrong password');
    expect(wrong.status).toBe(400);
    expect(wrong.text).not.toContain('suspended');
    expect(await isStillIn(visitor)).toBe(false);
  });

  it('what a suspended person’s page still sends', async () => {
    const { handle, actorId, visitor, page } = await someone();
    const token = await connect(visitor);
    await suspended(handle, actorId);
    const refused = await visitor.submitTo(page, '/password', { current: password, new: 'another password' });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('login_required');
    expect(await isLive(client, token)).toBe(false);
  });

  it.each([
    ['one that is too short', 'short', 'at least 8'],
    ['one of seven emoji', '🦊🦊🦊🦊🦊🦊🦊', 'at least 8'],
    ['the handle', 'person', 'neither your handle'],
    ['the present one', password, 'another one'],
  ])('a new password that is %s', async (what, typed, words) => {
    const { visitor, page, handle } = await someone();
    const next = what === 'the handle' ? handle.toUpperCase() : typed;
    const refused = await visitor.submit(page, { current: password, new: next });
    expect(refused.status).toBe(400);
    expect(alertIn(refused)).toContain(words);
    expect(refused.text).toContain('aria-describedby="new-fault new-hint"');
    expect(refused.text).not.toContain(`value="${next}"`);
  });

  it('no new password for its length in bytes: both may be of 1,024 characters of any script', async () => {
    const { visitor, page, handle } = await someone();
    const [first, second] = ['\u{20000}'.repeat(1024), '\u{20001}'.repeat(1024)];
    const changed = await visitor.submit(page, { current: password, new: first });
    expect(noticeIn(changed)).toContain('Your password is changed');
    const again = await visitor.submit(changed, { current: first, new: second });
    expect(noticeIn(again)).toContain('Your password is changed');
    expect((await enter(handle, second))[1].status).toBe(200);
  });

  it('to change a password without the present one, and to let it be guessed', async () => {
    const { visitor, page, handle } = await someone();
    const guess = () => visitor.submit(page, { current: 'not the one', new: 'another password' });
    const wrong = await guess();
    expect([wrong.status, alertIn(wrong)]).toEqual([400, 'That is not your current password.']);
    for (let tries = 1; tries < 10; tries++) await guess();
    const refused = await guess();
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('pilot_rate_limited');
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expect(refused.headers.get('ratelimit')).toContain('"account";r=0');
    expect((await enter(handle))[1].status).toBe(429);
  });

  it.each([
    ['without Origin', { origin: '' }, {}, 'origin_required'],
    ['from another site', { origin: 'https://evil.example' }, {}, 'origin_mismatch'],
    ['from a frame without an origin', { origin: 'null' }, {}, 'origin_mismatch'],
    ['without its hidden field', {}, { form: '' }, 'invalid_request'],
    ['with a hidden field of one’s own', {}, { form: `x.${'A'.repeat(43)}` }, 'invalid_request'],
  ])('a form %s', async (_what, headers, fields, code) => {
    const visitor = new Visitor(network.baseUrl);
    const { page, visitor: person } = await someone();
    const typed = { handle: 'nobody', password, ...fields };
    const answers = [
      await visitor.submit(await visitor.open(account), typed, headers),
      ...(await Promise.all(
        ['/sign-out', '/sign-out-everywhere', '/password'].map((to) =>
          person.submitTo(page, to, fields, headers),
        ),
      )),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    for (const { text } of answers) expect(text).toContain(code);
    expect(await isStillIn(person)).toBe(true);
  });

  it('a form of another person’s page, or of another browser', async () => {
    const [ana, bob] = [await someone(), await someone()];
    const stolen = await bob.visitor.submitTo(ana.page, '/sign-out-everywhere');
    expect(stolen.status).toBe(403);
    expect(await isStillIn(bob.visitor)).toBe(true);
    const page = await new Visitor(network.baseUrl).open(account);
    const elsewhere = await new Visitor(network.baseUrl).submit(page, { handle: ana.handle, password });
    expect(elsewhere.status).toBe(403);
    const nobody = await new Visitor(network.baseUrl).submitTo(ana.page, '/sign-out');
    expect([nobody.status, nobody.text.includes('login_required')]).toEqual([403, true]);
  });

  it('to disconnect an application from somebody else', async () => {
    const [ana, bob] = [await someone(), await someone()];
    const token = await connect(ana.visitor);
    await connect(bob.visitor);
    await bob.visitor.submit(await bob.visitor.open(account), { application: application.clientId });
    expect(await isLive(client, token)).toBe(true);
    const page = await ana.visitor.open(account);
    expect((await ana.visitor.submit(page, { application: "x' OR '1" })).status).toBe(400);
    expect(await isLive(client, token)).toBe(true);
  });

  it('to say what was not done: a notice cannot be in a link, or in a cookie without signature', async () => {
    const { visitor } = await someone();
    const linked = await visitor.open(`${account}?notice=disconnected`);
    expect(noticeIn(linked)).toBeUndefined();
    const planted = await fetch(account, {
      headers: { accept: 'text/html', cookie: 'plaza_notice=disconnected; plaza_notice.sig=AAAA' },
    });
    expect(await planted.text()).not.toContain('role="status"');
  });

  const post = async (init: RequestInit, accept: string) => {
    const answer = await fetch(`${account}/sign-in`, {
      method: 'POST',
      ...init,
      headers: { origin: network.baseUrl, accept, ...(init.headers as Record<string, string>) },
    });
    return answer;
  };
  const form = (body: string) => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  });

  it.each<readonly [string, number, RequestInit]>([
    ['JSON', 415, { headers: { 'content-type': 'application/json' }, body: '{}' }],
    ['text', 415, { headers: { 'content-type': 'text/plain' }, body: 'handle=a' }],
    ['a form of more than 64 KiB', 413, form(`handle=${'x'.repeat(64 * 1024)}`)],
    ['a field that is there twice', 400, form('handle=a&handle=b')],
    ['U+0000', 400, form('handle=a%00')],
    ['what is not UTF-8', 400, form('handle=%ff')],
    ['another method', 405, { method: 'DELETE' }],
    ['a look where there is only something to do', 405, { method: 'GET' }],
  ])('%s, with a page for a browser and an Error object for a program', async (_what, status, init) => {
    const page = await post(init, 'text/html');
    expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const answer = await post(init, 'application/json');
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ error: 'invalid_request', message: expect.any(String) });
    expect(answer.headers.get('allow')).toBe(status === 405 ? 'POST' : null);
  });

  it.each(['/account/nothing', '/account/', '/interaction/x/nothing', '/interaction'])(
    'an address below its own where there is nothing: %s',
    async (path) => {
      const page = await fetch(network.issuer + path, { headers: { accept: 'text/html' } });
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      const answer = await fetch(network.issuer + path);
      expect(await answer.json()).toEqual({ error: 'not_found', message: expect.any(String) });
    },
  );
});
