import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Role } from '../../src/domain/operator/roles.js';
import { foundNetwork } from '../../projections/incarnations/network-identity.js';
import { streams } from '../../src/log/streams.js';
import { startOperatorApi } from '../../src/operator/entrances/operator-server.js';
import { operatorClient } from '../support/operator-client.js';
import type { OperatorClient } from '../support/operator-client.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { Authenticator } from '../support/authenticator.js';
import { answerPasskey, enrollInConsole, questionOf, signInToConsole } from '../support/console.js';
import type { ConsoleUser } from '../support/console.js';
import { enrollOperator } from '../support/operators.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';

const HOUR = 60 * 60_000;

let network: AuthNetwork;
let operatorApi: { close(): Promise<void> };
let shared: OperatorClient;
let url: string;

beforeAll(async () => {
  network = await startAuthNetwork();
  await foundNetwork(network.log(), { uuid: randomUUID, networkId: () => 'n-1' }, Date.now);
  operatorApi = await startOperatorApi(network.app());
  shared = operatorClient(network.config);
  url = network.config.operatorBaseUrl;
});

afterAll(async () => {
  await operatorApi?.close();
  await network?.stop();
});

const enroll = (...roles: Role[]): Promise<ConsoleUser> => enrollInConsole(url, shared, roles);

const own = ({ browser }: Pick<ConsoleUser, 'browser'>) => browser.open(`${url}/console/own`);

const isSignedIn = async (user: Pick<ConsoleUser, 'browser'>): Promise<boolean> =>
  (await own(user)).url.pathname === '/console/own';

const eventsOf = async ({ operatorId }: ConsoleUser) =>
  (await network.log().read(streams.operator(operatorId))).map(({ event }) => event);

describe('an invitation', () => {
  it('registers a passkey by its link, once, and signs in', async () => {
    const { operatorId, link } = await shared.post('operators', { name: 'Grace <b>', roles: ['viewer'] });
    const user = { operatorId, roles: [], browser: new Browser(url), authenticator: new Authenticator(url) };
    const late = { browser: new Browser(url), authenticator: new Authenticator(url) };
    const [page, latePage] = [await user.browser.open(link), await late.browser.open(link)];
    expect(page.text).toContain('Welcome, <bdi>Grace &lt;b&gt;</bdi>');
    const home = await answerPasskey(user, page, { label: 'phone' });
    expect([home.status, home.url.pathname]).toEqual([200, '/console/overview']);
    expect((await own(user)).text).toContain('<bdi>phone</bdi>');
    expect(await eventsOf(user)).toMatchObject([
      { type: 'operator.invited' },
      { type: 'operator.enrolled' },
      {
        type: 'operator.passkey_registered',
        data: { credentialId: user.authenticator.credentialId, label: 'phone', transports: ['internal'] },
      },
    ]);
    expect((await user.browser.open(link)).status).toBe(404);
    expect((await answerPasskey(late, latePage, { label: 'late' })).status).toBe(404);
  });

  it('is refused after its time', async () => {
    const { link } = await shared.post('operators', { name: 'Grace', roles: ['viewer'] });
    network.advanceClock(8 * 24 * HOUR);
    expect((await new Browser(url).open(link)).status).toBe(404);
    expect((await new Browser(url).open(`${url}/console/enrollments`)).status).toBe(404);
  });
});

describe('a passkey', () => {
  it('signs in, and each sign-in is recorded', async () => {
    const user = await enroll('viewer');
    const other = { ...user, browser: new Browser(url) };
    expect(await isSignedIn(other)).toBe(false);
    expect((await signInToConsole(url, other)).status).toBe(200);
    expect([await isSignedIn(other), await isSignedIn(user)]).toEqual([true, true]);
    const recorded = await network.log().read(streams.operatorSignIns(user.operatorId));
    expect(recorded.map(({ event, metadata }) => [event.type, metadata.operatorId])).toEqual([
      ['operator.signed_in', user.operatorId],
      ['operator.signed_in', user.operatorId],
    ]);
  });

  it('answers a question once, and only the question of its browser', async () => {
    const user = await enroll('viewer');
    const browser = new Browser(url);
    const page = await browser.open(`${url}/console/sign-in`);
    expect((await answerPasskey({ ...user, browser }, page)).status).toBe(200);
    expect((await answerPasskey({ ...user, browser }, page)).status).toBe(400);
    const elsewhere = await new Browser(url).open(`${url}/console/sign-in`);
    const mine = await browser.open(`${url}/console/sign-in`);
    const [form] = mine.forms;
    const credential = user.authenticator.get(questionOf(elsewhere));
    expect((await browser.submit(mine, form!, { credential })).status).toBe(400);
  });

  it('that nobody answers stores nothing: anybody may ask', async () => {
    const challenges = 'SELECT count(*)::int AS stored FROM authority.operator_challenge';
    const stored = async () => (await network.database().pool.query(challenges)).rows;
    const before = await stored();
    const [page, late] = await Promise.all([1, 2].map(() => new Browser(url).open(`${url}/console/sign-in`)));
    expect(questionOf(page!).challenge).not.toBe(questionOf(late!).challenge);
    expect(await stored()).toEqual(before);
  });

  it('answers within five minutes', async () => {
    const user = await enroll('viewer');
    const browser = new Browser(url);
    const page = await browser.open(`${url}/console/sign-in`);
    network.advanceClock(5 * 60_000);
    expect((await answerPasskey({ ...user, browser }, page)).status).toBe(400);
  });

  it.each<[string, (user: ConsoleUser, question: { challenge: string }) => string, number]>([
    ['of nobody', (_user, question) => new Authenticator(url).get(question), 401],
    ['of another key', ({ authenticator }, question) => forged(authenticator).get(question), 400],
    [
      'of a device without its person',
      ({ authenticator }, question) => authenticator.get(question, { isVerified: false }),
      400,
    ],
    ['for another site', ({ authenticator }, question) => elsewhere(authenticator).get(question), 400],
    ['that is none', () => '{"id":1}', 400],
    ['that is empty', () => '', 400],
  ])('%s does not sign in', async (_what, answer, status) => {
    const user = await enroll('viewer');
    const browser = new Browser(url);
    const page = await browser.open(`${url}/console/sign-in`);
    const [form] = page.forms;
    const credential = answer(user, questionOf(page));
    expect((await browser.submit(page, form!, { credential })).status).toBe(status);
    expect(await isSignedIn({ browser })).toBe(false);
  });

  it('is joined by another one of a signed-in operator, and no credential belongs to two', async () => {
    const user = await enroll('viewer');
    const second = { ...user, authenticator: new Authenticator(url) };
    const added = await answerPasskey(second, await own(user), { label: 'key ring' });
    expect(added.text).toContain('The passkey is registered.');
    expect((await signInToConsole(url, { ...second, browser: new Browser(url) })).status).toBe(200);
    const other = await enroll('viewer');
    const stolen = await answerPasskey({ ...other, authenticator: second.authenticator }, await own(other), {
      label: 'stolen',
    });
    expect(stolen.status).toBe(409);
  });

  it('is added by an operator with a token, by a link that works once', async () => {
    const { operatorId, token, tokenId } = await enrollOperator(shared, ['viewer']);
    const client = operatorClient(Object.assign({}, network.config, { operatorToken: token }));
    const { link } = await client.post('own/passkey-links');
    const user = { operatorId, roles: [], browser: new Browser(url), authenticator: new Authenticator(url) };
    expect((await answerPasskey(user, await user.browser.open(link), { label: 'phone' })).status).toBe(200);
    expect(await isSignedIn(user)).toBe(true);
    expect((await user.browser.open(link)).status).toBe(404);
    const registered = (await network.log().read(streams.operator(operatorId))).at(-1);
    expect(registered).toMatchObject({
      event: { type: 'operator.passkey_registered' },
      metadata: { operatorId },
    });
    const late = await client.post('own/passkey-links');
    network.advanceClock(10 * 60_000);
    expect((await user.browser.open(late.link)).status).toBe(404);
    const stolen = await client.post('own/passkey-links');
    await shared.post('operators/:id/tokens/:tokenId/revoke', { id: operatorId, tokenId, reason: 'stolen' });
    expect((await user.browser.open(stolen.link)).status).toBe(404);
  });

  it('that is removed signs in no more, and its sessions end', async () => {
    const user = await enroll('viewer');
    const { passkeyId } = (await shared.get('operators')).find(
      ({ operatorId }) => operatorId === user.operatorId,
    )!.passkeys[0]!;
    expect(
      await shared.post('operators/:id/passkeys/:passkeyId/remove', {
        passkeyId,
        id: user.operatorId,
        reason: 'lost',
      }),
    ).toEqual({ changed: true });
    expect(await isSignedIn(user)).toBe(false);
    expect((await signInToConsole(url, user)).status).toBe(401);
    expect(
      await shared.post('operators/:id/passkeys/:passkeyId/remove', {
        passkeyId,
        id: user.operatorId,
        reason: 'lost',
      }),
    ).toEqual({ changed: false });
  });

  it('lets the log alone tell who an operator is', async () => {
    const user = await enroll('viewer');
    const events = JSON.stringify(await eventsOf(user));
    const rows = await network
      .database()
      .pool.query<{ public_key: string }>(
        'SELECT public_key FROM authority.operator_passkey WHERE operator_id = $1',
        [user.operatorId],
      );
    expect(events).toContain(rows.rows[0]!.public_key);
  });
});

describe('a session', () => {
  it('ends by signing out, in this browser alone', async () => {
    const user = await enroll('viewer');
    const other = { ...user, browser: new Browser(url) };
    await signInToConsole(url, other);
    const page = await own(user);
    const signOut = page.forms.find(({ action }) => action === '/console/sign-out')!;
    expect((await user.browser.submit(page, signOut, {})).url.pathname).toBe('/console/sign-in');
    expect([await isSignedIn(user), await isSignedIn(other)]).toEqual([false, true]);
  });

  it('ends everywhere by one form, and begins again', async () => {
    const user = await enroll('viewer');
    const other = { ...user, browser: new Browser(url) };
    await signInToConsole(url, other);
    const page = await own(user);
    const everywhere = page.forms.find(({ action }) => action === '/console/own/sign-out')!;
    await user.browser.submit(page, everywhere, { reason: 'a lost phone' });
    expect([await isSignedIn(user), await isSignedIn(other)]).toEqual([false, false]);
    await signInToConsole(url, user);
    expect([await isSignedIn(user), await isSignedIn(other)]).toEqual([true, false]);
    const recorded = await network.log().read(streams.operatorSignIns(user.operatorId));
    expect(recorded.find(({ event }) => event.type === 'operator.signed_out')?.metadata).toMatchObject({
      operatorId: user.operatorId,
      reason: 'a lost phone',
    });
  });

  it('of a suspended operator ends with the next request, and for good', async () => {
    const user = await enroll('viewer');
    expect(await isSignedIn(user)).toBe(true);
    await shared.post('operators/:id/suspend', { id: user.operatorId, reason: 'left' });
    expect(await isSignedIn(user)).toBe(false);
    expect((await signInToConsole(url, user)).status).toBe(403);
    await shared.post('operators/:id/reinstate', { id: user.operatorId, reason: 'came back' });
    expect(await isSignedIn(user)).toBe(false);
    expect((await signInToConsole(url, user)).status).toBe(200);
  });

  it('is the same on another process of the network', async () => {
    const user = await enroll('viewer');
    const page = await user.browser.open(`${url}/console/sign-in`);
    const another = await network.startAnotherServer();
    try {
      await operatorApi.close();
      operatorApi = await startOperatorApi(another.app);
      // Takes the connection to the closed server from the pool.
      await fetch(url).catch(() => undefined);
      expect(await isSignedIn(user)).toBe(true);
      expect((await answerPasskey(user, page)).status).toBe(200);
    } finally {
      await operatorApi.close();
      await another.close();
      await network.restartServer();
      operatorApi = await startOperatorApi(network.app());
    }
  });

  it('ends after an hour without use, and after twelve hours', async () => {
    const user = await enroll('viewer');
    network.advanceClock(HOUR + 1);
    expect(await isSignedIn(user)).toBe(false);
    await signInToConsole(url, user);
    for (let minutes = 0; minutes < 11 * 60 + 30; minutes += 30) {
      expect(await isSignedIn(user)).toBe(true);
      network.advanceClock(HOUR / 2);
    }
    expect(await isSignedIn(user)).toBe(true);
    network.advanceClock(HOUR / 2);
    expect(await isSignedIn(user)).toBe(false);
  });
});

/** Another key under the id of a registered one. */
const forged = ({ credentialId }: Authenticator) => Object.assign(new Authenticator(url), { credentialId });

const elsewhere = (authenticator: Authenticator) =>
  Object.assign(Object.create(authenticator), { origin: 'http://localhost:1' }) as Authenticator;
