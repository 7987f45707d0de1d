/** @slow */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../src/launch/free-port.js';
import { Browser } from '../../src/programs/demo/browser.js';
import type { BrowserUser } from '../../src/programs/demo/browser.js';
import { Visitor } from '../auth/support/visitor.js';
import type { PageAnswer } from '../auth/support/visitor.js';
import { operatorOf, password, registerApplication, send } from '../support/api.js';
import { clockAheadBy } from '../support/api-process.js';
import { spawnPlaza } from '../support/command.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { consented } from '../support/people.js';
import { follow, post } from '../support/social.js';
import { until } from '../support/until.js';
import { startExample } from './support/example.js';
import { eventsOfGrant, expireAccessTokens } from './support/grant.js';
import { startFaultyProxy } from './support/faulty-proxy.js';
import type { FaultyProxy } from './support/faulty-proxy.js';
import { MAIN, startReferenceApp } from './support/reference-app.js';
import type { ReferenceApp } from './support/reference-app.js';

const TOKEN = '/api/auth/oauth2/token';
/** The application keeps a profile for so long. */
const PROFILE_MS = 60_000;

let proxy: FaultyProxy;
let network: TestNetwork;
let app: ReferenceApp;
let second: ReferenceApp | undefined;

beforeAll(async () => {
  const port = await freePort();
  proxy = await startFaultyProxy(port);
  network = await startNetwork({ PORT: String(port), BASE_URL: `http://localhost:${proxy.port}` });
  app = await startReferenceApp(network);
});

afterEach(async () => {
  await second?.stop();
  second = undefined;
});

afterAll(async () => {
  await app?.stop();
  await network?.stop();
  await proxy?.close();
});

interface Person extends BrowserUser {
  readonly actorId: string;
  readonly visitor: Visitor;
}

async function newPerson(displayName = 'Ada'): Promise<Person> {
  const handle = `r_${randomBytes(5).toString('hex')}`;
  const account = { handle, displayName, email: `${handle}@example.org`, password };
  const { actorId } = await operatorOf(network).post('accounts', account);
  return { handle, password, actorId, visitor: new Visitor(app.origin) };
}

/** Begins at the form for `returnTo`, and ends before the callback. */
async function authorize(person: Person, returnTo = '/'): Promise<URL> {
  const { visitor } = person;
  const sent = await visitor.submitTo(await visitor.open(app.origin), '/login', { returnTo });
  return new Browser(network.baseUrl).authorize(sent.url, person);
}

async function signedIn(displayName?: string): Promise<Person & { readonly home: PageAnswer }> {
  const person = await newPerson(displayName);
  const home = await person.visitor.open(await authorize(person));
  expect(home).toMatchObject({ status: 200, url: `${app.origin}/` });
  return { ...person, home };
}

const open = ({ visitor }: Person, path = '/') => visitor.open(app.origin + path);

/** The same person through another application. */
async function elsewhere({ actorId }: Person, scope = 'openid read post:create post:edit relation:write') {
  return consented(network, await registerApplication(network), actorId, scope);
}

async function textsOf({ actorId }: Person): Promise<string[]> {
  const { body } = await send(network.baseUrl, 'GET', '/api/reconcile');
  const posts = body.posts as { authorActorId: string; text: string }[];
  return posts.filter(({ authorActorId }) => authorActorId === actorId).map(({ text }) => text);
}

it('is read in an hour', () => {
  const directory = dirname(MAIN);
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const linesOf = (kinds: RegExp) =>
    files
      .filter((file) => kinds.test(file))
      .flatMap((file) => readFileSync(join(directory, file), 'utf8').split('\n'))
      .filter((line) => line.trim() !== '').length;
  const lines = linesOf(/\.(ts|js|txt|svg)$/);
  expect(lines).toBeLessThanOrEqual(1_500);
  const readme = readFileSync(join(directory, 'README.md'), 'utf8');
  expect(readme).toContain(`are ${lines.toLocaleString('en')} lines`);
  expect(readme).toContain(`style sheet has ${linesOf(/\.css$/)} more`);
});

describe('sign-in', () => {
  it('gives the browser two opaque cookies, and no secret to the file of the sessions', async () => {
    const { home, visitor } = await signedIn();
    expect(visitor.cookieValues).toHaveLength(2);
    for (const value of visitor.cookieValues) expect(value).toMatch(/^[\w-]{43}$/);
    expect(home.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(home.headers.get('cache-control')).toBe('no-store');
    const tokens = proxy.tokens();
    expect(tokens.length).toBeGreaterThan(1);
    const file = ['', '-wal']
      .map((part) => readFileSync((app.env['SESSIONS'] ?? '') + part, 'latin1'))
      .join('');
    for (const secret of [...tokens, ...visitor.cookieValues]) expect(file).not.toContain(secret);
  });

  it('refuses a callback of another browser, an unknown state and a second use, and keeps the session', async () => {
    const person = await newPerson();
    const callback = await authorize(person);
    const exchanges = proxy.count(TOKEN);
    expect(await new Visitor(app.origin).open(callback)).toMatchObject({ status: 400 });
    const tampered = new URL(callback);
    tampered.searchParams.set('state', '__proto__');
    expect(await person.visitor.open(tampered)).toMatchObject({ status: 400 });
    expect(await person.visitor.open(callback)).toMatchObject({ status: 200 });
    expect(await person.visitor.open(callback)).toMatchObject({ status: 400 });
    expect(proxy.count(TOKEN)).toBe(exchanges + 1);
    expect((await open(person)).text).toContain('Ada');
  });

  it('returns to the page where it began', async () => {
    const person = await newPerson();
    const back = await person.visitor.request(await authorize(person, '/inbox?cursor=1'));
    expect([back.status, back.headers.get('location')]).toEqual([303, '/inbox?cursor=1']);
  });

  it.each([
    [TOKEN, 429, 'pilot_rate_limited', 'That was a lot at once'],
    [TOKEN, 503, 'recovery_quarantined', 'The network is in recovery'],
    ['/api/session', 429, 'pilot_rate_limited', 'That was a lot at once'],
    ['/api/session', 503, 'recovery_quarantined', 'The network is in recovery'],
    ['/api/session', 403, 'social_authority_required', 'You cannot take part now', '/logout'],
  ])(
    'that %s refuses with %i %s says so, and may begin again',
    async (path, status, code, title, next = '/login') => {
      const person = await newPerson();
      const callback = await authorize(person);
      proxy.refuse(path, 7, { code, status });
      const page = await person.visitor.open(callback);
      expect([page.status, page.headers.get('retry-after')]).toEqual([status, '7']);
      expect(page.text).toContain(title);
      expect(page.forms.map(({ action }) => action)).toEqual([next]);
      expect(await person.visitor.open(await authorize(person))).toMatchObject({ status: 200 });
    },
  );

  it('does not keep a path of any length to return to', async () => {
    const person = await newPerson();
    const callback = await authorize(person, `/find?handle=${'x'.repeat(3_000)}`);
    expect((await person.visitor.request(callback)).headers.get('location')).toBe('/');
  });

  it('says kindly that the person denied', async () => {
    const person = await newPerson();
    const page = await person.visitor.open(await authorize({ ...person, decision: 'deny' }));
    expect(page.status).toBe(400);
    expect(page.text).toContain('You did not allow it');
  });
});

describe('a form', () => {
  it('without an origin does nothing', async () => {
    const person = await signedIn();
    const body = new URLSearchParams({ intentId: randomUUID(), text: 'Not mine' });
    expect(await person.visitor.request(`${app.origin}/posts`, { method: 'POST', body })).toMatchObject({
      status: 403,
    });
    expect(await textsOf(person)).toEqual([]);
  });

  it('leads back to a page of its own, whatever address it claims to come from', async () => {
    const person = await signedIn();
    const other = await newPerson('Ben');
    const init = { method: 'POST', body: new URLSearchParams({ intentId: randomUUID() }) };
    for (const referer of ['https://elsewhere.example/x', `${app.origin}//elsewhere.example/x`]) {
      const headers = { origin: app.origin, referer };
      const sent = await person.visitor.request(`${app.origin}/people/${other.actorId}/follow`, {
        ...init,
        headers,
      });
      expect(new URL(sent.headers.get('location') ?? '', app.origin).origin).toBe(app.origin);
    }
  });
});

describe('a post', () => {
  it('appears once if its answer is lost, and if its form is sent twice', async () => {
    const { visitor, home, ...person } = await signedIn();
    proxy.loseAnswer('/api/posts');
    for (const _ of [1, 2])
      expect(await visitor.submitTo(home, '/posts', { text: 'One\r\nTwo' })).toMatchObject({ status: 200 });
    expect(await textsOf({ visitor, ...person })).toEqual(['One\nTwo']);
  });

  it.each([
    ['pilot_rate_limited', 429, 'That was a lot at once'],
    ['publishing_paused', 503, 'Posting is paused'],
    ['recovery_quarantined', 503, 'The network is in recovery'],
    ['recovery_state_missing', 503, 'The network is being set up'],
    ['restriction_witness_unavailable_or_incomplete', 503, 'The network cannot check who may see what'],
    ['protected_read_unavailable', 503, 'The network is catching up'],
    ['domain_storage_unavailable', 503, 'The network could not confirm that'],
    ['of_a_later_release', 503, 'The network could not confirm that'],
  ])('refused with %s has a page that says so, and is posted once later', async (code, status, title) => {
    const { visitor, home, ...person } = await signedIn();
    proxy.refuse('/api/posts', 7, { code, status });
    const refused = await visitor.submitTo(home, '/posts', { text: 'Kept <b>text</b>' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([status, '7']);
    for (const said of [
      title,
      'Kept &#60;b&#62;text&#60;/b&#62;',
      'Try again in 7 seconds',
      'it happens once',
    ])
      expect(refused.text).toContain(said);
    const waiting = await visitor.open(app.origin);
    expect(waiting.text).toContain('Not confirmed yet');
    // From the page of the refusal, and then from the timeline of another tab.
    expect(await visitor.submitTo(refused, '/posts')).toMatchObject({ status: 200 });
    const form = waiting.forms.find(({ fields }) => fields['text'] !== undefined);
    const body = new URLSearchParams(form?.fields);
    await visitor.open(`${app.origin}/posts`, { method: 'POST', headers: { origin: app.origin }, body });
    expect(await textsOf({ visitor, ...person })).toEqual(['Kept <b>text</b>']);
    expect((await visitor.open(app.origin)).text).not.toContain('Not confirmed yet');
  });

  it('that was sent before with another text is shown in a form of its own', async () => {
    const { visitor, home, ...person } = await signedIn();
    await visitor.submitTo(home, '/posts', { text: 'First' });
    const conflict = await visitor.submitTo(home, '/posts', { text: 'Second' });
    expect(conflict.status).toBe(409);
    for (const said of ['You changed a text that was already sent', '>Second</textarea>'])
      expect(conflict.text).toContain(said);
    expect(await visitor.submitTo(conflict, '/posts', { text: 'Second' })).toMatchObject({ status: 200 });
    expect(await textsOf({ visitor, ...person })).toEqual(['Second', 'First']);
  });

  it('with an intent that is none is refused, and not kept', async () => {
    const { visitor, home } = await signedIn();
    expect(await visitor.submitTo(home, '/posts', { text: 'Wrong', intentId: 'no intent' })).toMatchObject({
      status: 400,
    });
    expect((await visitor.open(app.origin)).text).not.toContain('Wrong');
  });

  it('that waits can be discarded', async () => {
    const { visitor, home, ...person } = await signedIn();
    proxy.refuse('/api/posts', 7);
    await visitor.submitTo(home, '/posts', { text: 'Better not' });
    const waiting = await visitor.open(app.origin);
    const body = new URLSearchParams(waiting.forms.find(({ fields }) => fields['text'])?.fields);
    await visitor.open(`${app.origin}/discard`, { method: 'POST', headers: { origin: app.origin }, body });
    expect((await visitor.open(app.origin)).text).not.toContain('Better not');
    expect(await textsOf({ visitor, ...person })).toEqual([]);
  });

  it('that is too long is shown in a form to change it', async () => {
    const { visitor, home, ...person } = await signedIn();
    const long = `Too long ${'x'.repeat(2_000)}`;
    const refused = await visitor.submitTo(home, '/posts', { text: long });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(`>${long}</textarea>`);
    expect(await visitor.submitTo(refused, '/posts', { text: 'Short' })).toMatchObject({ status: 200 });
    expect(await textsOf({ visitor, ...person })).toEqual(['Short']);
  });

  it('refused for good is not kept, and its page says that nothing was changed', async () => {
    const { visitor, home } = await signedIn();
    proxy.refuse('/api/posts', 0, { code: 'of_a_later_release', status: 409 });
    const refused = await visitor.submitTo(home, '/posts', { text: 'Not possible' });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('Nothing was changed');
    expect((await visitor.open(app.origin)).text).not.toContain('Not possible');
  });

  it('is looked up if it has arrived and its answer was lost for good', async () => {
    const { visitor, home: form, ...person } = await signedIn();
    proxy.loseAnswer('/api/posts', 2);
    const lost = await visitor.submitTo(form, '/posts', { text: 'Did it arrive?' });
    expect(lost.status).toBe(503);
    const home = await visitor.open(app.origin);
    expect(home.text).not.toContain('Not confirmed yet');
    expect(home.text).toContain('Did it arrive?');
    expect(await textsOf({ visitor, ...person })).toEqual(['Did it arrive?']);
  });

  it('is one of the newest fifty without an answer, or is not kept', async () => {
    const { visitor } = await signedIn();
    for (let n = 0; n <= 50; n++) {
      proxy.refuse('/api/posts', 7);
      const body = new URLSearchParams({ intentId: randomUUID(), text: `Text ${n}` });
      const init = { method: 'POST', headers: { origin: app.origin }, body };
      expect(await visitor.request(`${app.origin}/posts`, init)).toMatchObject({ status: 503 });
    }
    const { text } = await visitor.open(app.origin);
    const kept = [...text.matchAll(/dir="auto">Text (\d+)</g)].map(([, n]) => Number(n));
    expect(kept.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
  });

  it('of a session that has ended is kept until the same person has signed in again', async () => {
    const { visitor, home, ...rest } = await signedIn();
    const person = { visitor, ...rest };
    await operatorOf(network).post('applications/:id/revoke-grants', { id: app.clientId, reason: 'a test' });
    const refused = await visitor.submitTo(home, '/posts', { text: 'In the middle' });
    expect(refused.status).toBe(401);
    expect(refused.text).toContain('Your connection has ended');
    const other = await newPerson('Ben');
    const theirs = await visitor.open(await authorize({ ...other, visitor }));
    expect(theirs.text).not.toContain('In the middle');
    await visitor.submitTo(await visitor.open(`${app.origin}/settings`), '/logout');
    const mine = await visitor.open(await authorize(person));
    expect(mine.text).toContain('In the middle');
    const body = new URLSearchParams(mine.forms.find(({ fields }) => fields['text'])?.fields);
    await visitor.open(`${app.origin}/posts`, { method: 'POST', headers: { origin: app.origin }, body });
    expect(await textsOf(person)).toEqual(['In the middle']);
  });

  it('changed elsewhere meanwhile is shown beside the edit, which then wins', async () => {
    const person = await signedIn();
    await person.visitor.submitTo(person.home, '/posts', { text: 'First' });
    const there = await elsewhere(person);
    const { body } = await there.get('/api/timeline');
    const { id } = body.posts[0] as { id: string };
    const editor = await open(person, `/posts/${id}/edit`);
    const theirs = { intentId: randomUUID(), revision: 1, text: 'Second' };
    expect((await there.patch(`/api/posts/${id}`, theirs)).status).toBe(200);
    const conflict = await person.visitor.submitTo(editor, '/edit', { text: 'Third' });
    expect(conflict.status).toBe(409);
    for (const said of ['has changed meanwhile', 'Second', 'Third']) expect(conflict.text).toContain(said);
    expect(await person.visitor.submitTo(conflict, '/edit', { text: 'Third' })).toMatchObject({
      status: 200,
    });
    expect(await textsOf(person)).toEqual(['Third']);
  });
});

it('shows a profile that has changed elsewhere meanwhile, and saves what was typed in its place', async () => {
  const person = await signedIn();
  const form = await open(person, '/settings');
  const there = await elsewhere(person, 'openid read profile:write');
  const theirs = { intentId: randomUUID(), revision: 1, bio: 'Written elsewhere' };
  expect((await there.patch('/api/profile', theirs)).status).toBe(200);
  const conflict = await person.visitor.submitTo(form, '/settings', { bio: 'Written here' });
  expect(conflict.status).toBe(409);
  for (const said of ['has changed elsewhere meanwhile', 'Written elsewhere', 'Written here'])
    expect(conflict.text).toContain(said);
  const saved = await person.visitor.submitTo(conflict, '/settings', { bio: 'Written here' });
  expect(saved.url).toBe(`${app.origin}/people/${person.actorId}`);
  expect(saved.text).toContain('Written here');
});

describe('an expired access token', () => {
  const getParallel = (person: Person) => {
    const headers = { cookie: person.visitor.cookiesFor(app.origin).join('; ') };
    return Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const answer = await fetch(`${(at % 2 ? app : second!).address}/inbox`, { headers });
        return {
          status: answer.status,
          retryAfter: answer.headers.get('retry-after'),
          text: await answer.text(),
        };
      }),
    );
  };

  it('has one refresh that was refused for all requests of two processes, until its Retry-After', async () => {
    const person = await signedIn();
    second = await startReferenceApp(network, { first: app });
    await expireAccessTokens(network, person.actorId);
    const refreshes = proxy.count(TOKEN);
    proxy.refuse(TOKEN, 300, { code: 'pilot_rate_limited', status: 429 });
    for (const { status, retryAfter, text } of await getParallel(person)) {
      expect(status).toBe(429);
      expect(Number(retryAfter)).toBeGreaterThan(200);
      expect(text).toContain('That was a lot at once');
    }
    expect(proxy.count(TOKEN)).toBe(refreshes + 1);
  });

  it('is refreshed after the Retry-After of a refusal', async () => {
    const person = await signedIn();
    await expireAccessTokens(network, person.actorId);
    const refreshes = proxy.count(TOKEN);
    proxy.refuse(TOKEN, 1, { code: 'pilot_rate_limited', status: 429 });
    expect(await open(person)).toMatchObject({ status: 429 });
    await until(async () => (await open(person)).status === 200);
    expect(proxy.count(TOKEN)).toBe(refreshes + 2);
  });

  it('is refreshed, too, if the answer that refused it was lost', async () => {
    const person = await signedIn();
    await expireAccessTokens(network, person.actorId);
    const [refreshes, reads] = [proxy.count(TOKEN), proxy.count('/api/timeline')];
    proxy.loseAnswer('/api/timeline');
    expect(await open(person)).toMatchObject({ status: 200 });
    expect(proxy.count('/api/timeline')).toBe(reads + 3);
    expect(proxy.count(TOKEN)).toBe(refreshes + 1);
  });

  it.each([
    ['its answer was lost', () => proxy.loseAnswer(TOKEN)],
    [
      'the network could not answer',
      () => proxy.refuse(TOKEN, 7, { code: 'temporarily_unavailable', status: 503 }),
    ],
  ])('ends the session if %s, and its refresh token is not sent again', async (_why, fail) => {
    const person = await signedIn();
    second = await startReferenceApp(network, { first: app });
    await expireAccessTokens(network, person.actorId);
    fail();
    const refreshes = proxy.count(TOKEN);
    for (const { status, text } of await getParallel(person)) {
      expect(status).toBe(401);
      expect(text).toContain('Please sign in again');
    }
    expect(proxy.count(TOKEN)).toBe(refreshes + 1);
  });

  it('ends the session if the process that refreshed it has died meanwhile', async () => {
    const person = await signedIn();
    // Its lease begins earlier, so that nobody waits so long.
    second = await startReferenceApp(network, { first: app, more: clockAheadBy(-20_000) });
    await expireAccessTokens(network, person.actorId);
    const refreshes = proxy.count(TOKEN);
    const held = proxy.hold(TOKEN);
    const cookie = person.visitor.cookiesFor(app.origin).join('; ');
    const unanswered = fetch(second.address, { headers: { cookie } }).catch((error: Error) => error.message);
    await held;
    const [ended] = await Promise.all([open(person), second.stop('SIGKILL')]);
    expect(await unanswered).toBe('fetch failed');
    expect(ended.status).toBe(401);
    expect(ended.text).toContain('Please sign in again');
    expect(proxy.count(TOKEN)).toBe(refreshes + 1);
    const again = await person.visitor.open(await authorize(person));
    expect(again).toMatchObject({ status: 200, url: `${app.origin}/` });
  });
});

describe('the end', () => {
  it('by sign-out ends the session, and keeps the grant', async () => {
    const person = await signedIn();
    const cookie = person.visitor.cookiesFor(app.origin).join('; ');
    const goodbye = await person.visitor.submitTo(await open(person, '/settings'), '/logout');
    expect(goodbye.text).toContain('You are signed out here');
    const [, endSession = ''] = /href="([^"]+)">sign out of the network/.exec(goodbye.text) ?? [];
    const returned = await person.visitor.open(endSession.replaceAll('&#38;', '&'));
    expect(endSession).toContain('/api/auth/oauth2/end-session?');
    expect(returned).toMatchObject({ status: 200, url: `${app.origin}/` });
    expect((await fetch(`${app.origin}/inbox`, { headers: { cookie } })).status).toBe(401);
    expect(await eventsOfGrant(network, app.clientId, person.actorId)).not.toContain('grant.revoked');
  });

  it('leads a suspended person to their account page, and keeps the session until the reinstatement', async () => {
    const person = await signedIn();
    const act = { id: person.actorId, reason: 'a test' };
    await operatorOf(network).post('accounts/:id/suspend', act);
    const page = await open(person);
    expect(page.status).toBe(403);
    expect(page.text).toContain(`${network.baseUrl}/api/auth/account`);
    await operatorOf(network).post('accounts/:id/reinstate', act);
    expect(await open(person)).toMatchObject({ status: 200 });
  });

  it('is told kindly to an erased person', async () => {
    const person = await signedIn();
    await operatorOf(network).post('accounts/:id/erase', { id: person.actorId, reason: 'a test' });
    const page = await open(person);
    expect(page.status).toBe(401);
    expect(page.text).toContain('we wish you well');
  });

  it('comes with a new incarnation, and the next view has nothing that left', async () => {
    const person = await signedIn();
    const other = await elsewhere(await newPerson('Ben'));
    await follow(await elsewhere(person), other);
    const id = await post(other, 'Here for a while');
    expect((await until(async () => open(person))).text).toContain('Here for a while');
    const operator = operatorOf(network);
    await operator.post('posts/:id/restrict', { id, reason: 'a test' });
    const { id: job } = await operator.post('projections/rebuild', { names: [], reason: 'a test' });
    await until(async () => (await operator.get('jobs/:id', { id: job })).state === 'published');
    const page = await open(person);
    expect(page.status).toBe(401);
    expect(page.text).toContain('The network was rebuilt');
    const again = await person.visitor.open(await authorize(person));
    expect(again.text).not.toContain('Here for a while');
  });
});

describe('texts of people', () => {
  it('are escaped wherever they are shown', async () => {
    const hostile = `<img src=x onerror=alert(1)>"'&\u202E`;
    const name = '<img src=x onerror=alert(1)>';
    const person = await signedIn(name);
    const shown = await person.visitor.submitTo(person.home, '/posts', {
      text: `${hostile} https://a.example/"><b> @${person.handle}`,
    });
    const profile = await open(person, `/@${person.handle}`);
    for (const { text } of [shown, profile, await open(person, '/settings')]) {
      expect(text).not.toContain('<img src=x');
      expect(text).not.toContain('\u202E');
    }
    expect(shown.text).toContain(`<a href="/@${person.handle}">`);
    expect(shown.text).toContain('href="https://a.example/"');
  });
});

/** Opens the news after a position, as a tab does. */
async function openNews({ visitor }: Person, after: string, signal: AbortSignal) {
  const headers = { cookie: visitor.cookiesFor(app.origin).join('; ') };
  const { body } = await fetch(`${app.origin}/live?after=${after}`, { headers, signal });
  return body!.pipeThrough(new TextDecoderStream()).getReader();
}

async function readUntil(tab: Awaited<ReturnType<typeof openNews>>, said: string): Promise<void> {
  for (let text = ''; !text.includes(said);) {
    const { done, value = '' } = await tab.read();
    if (done) throw new Error(`the news ended without ${said}:\n${text}`);
    text += value;
  }
}

it('reads one stream of the network for all open pages of a session, and tells a page what it has missed', async () => {
  const person = await signedIn();
  const author = await elsewhere(await newPerson('Ben'));
  await follow(await elsewhere(person), author);
  const after = /data-after="(\d+)"/.exec((await open(person)).text)?.[1] ?? '';
  const closed = new AbortController();
  const openTab = () => openNews(person, after, closed.signal);
  const streams = proxy.count('/api/events');
  const pages = [await openTab(), await openTab()];
  await post(author, 'News');
  await Promise.all(pages.map((page) => readUntil(page, 'event: more')));
  await readUntil(await openTab(), 'event: replace');
  expect(proxy.count('/api/events')).toBe(streams + 1);
  closed.abort();
});

it('goes on after the end of a stream whose tab has not received it yet', async () => {
  const person = await signedIn();
  const author = await elsewhere(await newPerson('Ben'));
  await follow(await elsewhere(person), author);
  const after = /data-after="(\d+)"/.exec((await open(person)).text)?.[1] ?? '';
  expect(await open(person, '/live?after=-5')).toMatchObject({ status: 400 });
  const cookie = person.visitor.cookiesFor(app.origin).join('; ');
  const head = await fetch(`${app.origin}/live?after=${after}`, { method: 'HEAD', headers: { cookie } });
  expect(head.status).toBe(400);
  // The answer for the tab waits for the one before it on the same connection.
  const requestOf = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\ncookie: ${cookie}\r\n\r\n`;
  const streams = proxy.count('/api/events');
  const held = proxy.hold('/api/timeline');
  proxy.refuse('/api/events', 1);
  const connection = connect(Number(new URL(app.address).port), 'localhost');
  connection.write(requestOf('/') + requestOf(`/live?after=${after}`));
  await held;
  await until(async () => proxy.count('/api/events') > streams);
  expect(await open(person, '/inbox')).toMatchObject({ status: 200 });
  const closed = new AbortController();
  const tab = await openNews(person, after, closed.signal);
  await readUntil(tab, 'event: here');
  await post(author, 'News');
  await readUntil(tab, 'event: more');
  closed.abort();
  connection.destroy();
});

it('asks for a profile once a minute, unless the network tells of a change', async () => {
  const person = await signedIn();
  const author = await newPerson('Ben');
  const there = await elsewhere(author, 'openid read post:create profile:write');
  await follow(await elsewhere(person), there);
  await post(there, 'Signed');
  const after = /data-after="(\d+)"/.exec((await open(person)).text)?.[1] ?? '';
  expect((await open(person)).text).toContain('Ben');
  const asked = proxy.count('/api/actors');
  await open(person);
  expect(proxy.count('/api/actors')).toBe(asked);
  const headers = { cookie: person.visitor.cookiesFor(app.origin).join('; ') };
  const closed = new AbortController();
  await fetch(`${app.origin}/live?after=${after}`, { headers, signal: closed.signal });
  const change = { intentId: randomUUID(), revision: 1, displayName: 'Benjamin' };
  expect((await there.patch('/api/profile', change)).status).toBe(200);
  await until(async () => (await open(person)).text.includes('Benjamin'), PROFILE_MS / 2);
  closed.abort();
});

it('forgets the profile of a person who blocks the reader', async () => {
  const person = await signedIn();
  const other = await newPerson('Benedikta');
  const report = `/people/${other.actorId}/report`;
  expect((await open(person, report)).text).toContain('Benedikta');
  const there = await elsewhere(other, 'openid read block:write');
  const blocked = await there.put(`/api/blocks/${person.actorId}`, { intentId: randomUUID() });
  expect(blocked.status).toBe(200);
  expect((await open(person, report)).text).not.toContain('Benedikta');
});

it('leads from a page of a list that is none to the first one', async () => {
  const page = await open(await signedIn(), '/inbox?cursor=x');
  expect(page.status).toBe(400);
  expect(page.text).toContain('href="/inbox">The first page');
});

it('forgets what it knew of the view if the network says to replace it', async () => {
  const person = await signedIn();
  const badge = async () => /<b>(\d+)<\/b><span class="unseen"> unread/.exec((await open(person)).text)?.[1];
  await follow(await elsewhere(await newPerson('Ben')), await elsewhere(person));
  await until(async () => (await badge()) === '1');
  proxy.alter('/api/reconcile', { replace: true, inbox: [] });
  expect([await badge(), await badge()]).toEqual(['0', '0']);
});

it('goes on when the file of its sessions fails, and says so', async () => {
  const own = await startReferenceApp(network);
  const file = new DatabaseSync(own.env['SESSIONS'] ?? '');
  try {
    file.exec('ALTER TABLE item RENAME TO away');
    for (const path of ['/', '/nothing']) {
      const answer = await fetch(own.address + path);
      expect([path, answer.status]).toEqual([path, 500]);
      expect(await answer.text()).toContain('This failed');
    }
    expect(own.errorOutput()).toContain('no such table: item');
    file.exec('ALTER TABLE away RENAME TO item');
    expect((await fetch(own.address)).status).toBe(200);
  } finally {
    file.close();
    await own.stop();
  }
});

it('starts as its README says', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'reference-app-readme-'));
  const settings = { SESSIONS: join(directory, 'new', 'sessions.sqlite') };
  const example = await startExample(network, { name: 'reference-app', port: 3002, settings });
  try {
    expect(example.firstLine).toBe(`open ${example.origin}`);
    const { visitor, ...person } = { ...(await newPerson()), visitor: new Visitor(example.origin) };
    const sent = await visitor.submitTo(await visitor.open(example.origin), '/login');
    const home = await visitor.open(await new Browser(network.baseUrl).authorize(sent.url, person));
    expect(home.text).toContain('It is quiet here');
    expect(statSync(settings.SESSIONS).mode & 0o777).toBe(0o600);
    expect(example.errorOutput()).toBe('');
  } finally {
    await example.stop();
    rmSync(directory, { recursive: true });
  }
});

it('needs few requests for a first timeline with warm profiles, and a page is small', async () => {
  const person = await signedIn();
  const author = await elsewhere(await newPerson('Ben'));
  await follow(await elsewhere(person), author);
  for (let n = 0; n < 30; n++)
    await post(author, `Number ${n}: ${'some words of a usual length '.repeat(4)}`);
  await open(person);
  const before = proxy.count();
  const page = await open(person);
  expect(proxy.count() - before).toBeLessThanOrEqual(12);
  expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(60_000);
  expect(page.text.match(/<article/g)).toHaveLength(30);
});

it.each([
  [{}, 'CLIENT_ID and CLIENT_SECRET are not set; README.md says where they come from\n'],
  [
    { CLIENT_ID: 'x', CLIENT_SECRET: 'y', BASE_URL: 'http://localhost:1' },
    'BASE_URL http://localhost:1: fetch failed\n',
  ],
  [
    { CLIENT_ID: 'x', CLIENT_SECRET: 'y', ORIGIN: 'https://app.example/' },
    'ORIGIN https://app.example/: it must be an address such as https://social.example, without a slash\n',
  ],
  [
    { CLIENT_ID: 'x', CLIENT_SECRET: 'y', BASE_URL: 'http://social.example' },
    'BASE_URL http://social.example: it must begin with https, because tokens go there; http is for this machine\n',
  ],
  [{ REFERENCE_APP_PORT: '99999' }, 'REFERENCE_APP_PORT 99999: it must be a port, from 0 to 65535\n'],
])('names a fault of its settings %j in one line', async (settings, said) => {
  const { code, stderr } = await spawnPlaza(
    [],
    { CLIENT_ID: '', CLIENT_SECRET: '', ...settings, SESSIONS: app.env['SESSIONS'] },
    '',
    MAIN,
  );
  expect([code, stderr]).toEqual([2, said]);
});

it('names a port that is taken', async () => {
  const { port } = new URL(app.address);
  const { code, stderr } = await spawnPlaza([], { ...app.env, REFERENCE_APP_PORT: port }, '', MAIN);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^REFERENCE_APP_PORT: listen EADDRINUSE[^\n]*\n$/);
});

it('logs nothing unforeseen in all these tests', () => {
  expect(app.errorOutput()).toBe('');
});
