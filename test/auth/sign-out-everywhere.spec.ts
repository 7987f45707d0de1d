import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import type { Command } from '@nestjs/cqrs';
import type * as oidc from 'openid-client';
import { AuthorizationServer } from '../../src/doors/auth/authorization-server.js';
import { Passwords } from '../../src/doors/auth/passwords.js';
import { ChangePassword, SignOutEverywhere } from '../../src/commands/account/sign-ins.js';
import { SuspendAccount } from '../../src/commands/account/accounts.js';
import { LogUnavailable } from '../../src/log/event-log.js';
import { streams } from '../../src/log/streams.js';
import { credentialHash } from '../../src/base/store/authority/credential-hash.js';
import { password, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, connect, discover, isLive } from './support/flow.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { until } from '../support/until.js';
import { Visitor } from './support/visitor.js';
import type { PageAnswer } from './support/visitor.js';

let network: AuthNetwork;
let client: oidc.Configuration;

beforeAll(async () => {
  network = await startAuthNetwork();
  client = await discover(network, await network.registerApplication());
});

afterAll(() => network.stop());

const metadata = { requestId: 'r' };
const execute = <Result>(command: Command<Result>) => network.app().get(CommandBus).execute(command);
const signOut = (actorId: string) => execute(new SignOutEverywhere(actorId, metadata));

/** Sends an authorization request, which leads to sign-in or consent. */
async function requestAuthorization(visitor: Visitor): Promise<PageAnswer> {
  return visitor.open((await authorizationRequest(client, 'openid read')).url);
}

const asksForPassword = ({ text }: PageAnswer): boolean => text.includes('name="password"');
const asksForConsent = ({ text }: PageAnswer): boolean => text.includes('value="allow"');

async function signedIn(handle: string): Promise<Visitor> {
  const visitor = new Visitor(network.baseUrl);
  const consent = await visitor.submit(await requestAuthorization(visitor), { handle, password });
  expect(asksForConsent(consent)).toBe(true);
  return visitor;
}

/** The key of the session's row. */
async function sessionOf(visitor: Visitor): Promise<Buffer> {
  const hashes = visitor.cookieValues.map(credentialHash);
  const rows = await network.database().dataSource.query<{ key_hash: Buffer }[]>(
    `SELECT key_hash FROM authority.oidc_record
     WHERE kind = 'Session' AND consumed_at IS NULL AND key_hash = ANY ($1)`,
    [hashes],
  );
  expect(rows).toHaveLength(1);
  return rows[0]?.key_hash ?? Buffer.alloc(0);
}

async function eventTypesOf(actorId: string): Promise<readonly string[]> {
  const recorded = await network.log().read(streams.account(actorId));
  return recorded.map(({ event }) => event.type).slice(1);
}

describe('a person who signs out everywhere', () => {
  it('is asked for the password in every browser, and other people are not', async () => {
    const actorId = await network.createAccount('ada');
    await network.createAccount('bob');
    const [first, second, bobs] = [await signedIn('ada'), await signedIn('ada'), await signedIn('bob')];
    await signOut(actorId);
    expect(asksForPassword(await requestAuthorization(first))).toBe(true);
    expect(asksForPassword(await requestAuthorization(second))).toBe(true);
    expect(asksForConsent(await requestAuthorization(bobs))).toBe(true);
    expect(await eventTypesOf(actorId)).toEqual(['account.signed_out']);
    await signOut(actorId);
    expect(await eventTypesOf(actorId)).toEqual(['account.signed_out']);
  });

  it('can sign in again at once', async () => {
    const actorId = await network.createAccount('dora');
    const visitor = await signedIn('dora');
    await signOut(actorId);
    const consent = await visitor.submit(await requestAuthorization(visitor), { handle: 'dora', password });
    expect(asksForConsent(consent)).toBe(true);
  });

  it('keeps their grants', async () => {
    const actorId = await network.createAccount('emil');
    const { accessToken } = await connect(client, new Browser(network.baseUrl), 'emil');
    await signOut(actorId);
    expect(await eventTypesOf(actorId)).toEqual(['account.signed_out']);
    expect(await isLive(client, accessToken)).toBe(true);
  });

  it('cannot consent on a page that was open before', async () => {
    const actorId = await network.createAccount('fritz');
    const visitor = new Visitor(network.baseUrl);
    const consent = await visitor.submit(await requestAuthorization(visitor), { handle: 'fritz', password });
    await signOut(actorId);
    const answer = await visitor.submit(consent, { decision: 'allow' });
    expect(answer.url).not.toContain('code=');
    const rows = await network
      .database()
      .dataSource.query('SELECT 1 FROM authority.app_grant WHERE actor_id = $1', [actorId]);
    expect(rows).toEqual([]);
  });

  it('is not signed in again by a request that began before', async () => {
    const actorId = await network.createAccount('gina');
    const visitor = await signedIn('gina');
    const { provider } = network.app().get(AuthorizationServer);
    const hash = (await sessionOf(visitor)).toString('hex');
    const value = visitor.cookieValues.find((each) => credentialHash(each).toString('hex') === hash) ?? '';
    const session = await provider.Session.find(value);
    expect(session?.accountId).toBe(actorId);
    await signOut(actorId);
    await session?.save(1_000);
    expect(await provider.Session.find(value)).toBeUndefined();
    expect(asksForPassword(await requestAuthorization(visitor))).toBe(true);
  });

  it('is not signed in again by a request that began before and renames the session', async () => {
    const actorId = await network.createAccount('greta');
    const visitor = await signedIn('greta');
    const { provider } = network.app().get(AuthorizationServer);
    const found = await Promise.all(visitor.cookieValues.map((value) => provider.Session.find(value)));
    const session = found.find((each) => each?.accountId === actorId);
    if (!session) throw new Error('nobody is signed in');
    session.resetIdentifier();
    await signOut(actorId);
    await session.save(1_000);
    expect(await provider.Session.find(session.jti)).toBeUndefined();
  });

  it('in one browser only is not signed in there again by a request that began before', async () => {
    const actorId = await network.createAccount('gerd');
    const visitor = await signedIn('gerd');
    const { provider } = network.app().get(AuthorizationServer);
    const find = async () => {
      const found = await Promise.all(visitor.cookieValues.map((value) => provider.Session.find(value)));
      return found.find((session) => session?.accountId === actorId);
    };
    const underWay = await find();
    const account = await visitor.open(`${network.issuer}/account`);
    expect(await visitor.submitTo(account, '/sign-out')).toMatchObject({ status: 200 });
    await underWay?.save(1_000);
    expect(await provider.Session.find(underWay?.jti ?? '')).toBeUndefined();
  });

  it('stays signed in if the log is unavailable', async () => {
    const actorId = await network.createAccount('hugo');
    const visitor = await signedIn('hugo');
    await network.eventStore.stop();
    await expect(signOut(actorId)).rejects.toBeInstanceOf(LogUnavailable);
    await network.eventStore.start();
    expect(asksForConsent(await requestAuthorization(visitor))).toBe(true);
  });

  it('must exist', async () => {
    await expect(signOut('nobody')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a changed password', () => {
  const hash = (typed: string) => network.app().get(Passwords).hash(typed);

  const query = <Row>(sql: string, values: unknown[]): Promise<Row[]> =>
    network.database().dataSource.query(sql, values);

  async function hashOf(actorId: string): Promise<string> {
    const [row] = await query<{ password_hash: string }>(
      'SELECT password_hash FROM authority.credential WHERE actor_id = $1',
      [actorId],
    );
    return row?.password_hash ?? '';
  }

  const change = async (actorId: string, typed: string) =>
    execute(new ChangePassword(actorId, await hashOf(actorId), await hash(typed), metadata));

  it('is the only one that signs in, and ends every session', async () => {
    const actorId = await network.createAccount('ines');
    const visitor = await signedIn('ines');
    await change(actorId, 'another password');
    const asked = await requestAuthorization(visitor);
    expect(asksForPassword(asked)).toBe(true);
    const refused = await visitor.submit(asked, { handle: 'ines', password });
    expect(asksForPassword(refused)).toBe(true);
    const taken = await visitor.submit(refused, { handle: 'ines', password: 'another password' });
    expect(asksForConsent(taken)).toBe(true);
    await change(actorId, 'another password');
    expect(await eventTypesOf(actorId)).toEqual(['account.password_changed', 'account.password_changed']);
  });

  it('is not stored without an account', async () => {
    const nobody = randomUUID();
    expect(await change(nobody, 'another password')).toEqual({ changed: false });
    expect(await hashOf(nobody)).toBe('');
    expect(await network.log().read(streams.account(nobody))).toEqual([]);
  });

  it('is one of two concurrent changes of the same password', async () => {
    const actorId = await network.createAccount('karl');
    const old = await hashOf(actorId);
    const wanted = [await hash('the first of them'), await hash('the second of them')];
    const answers = await Promise.all(
      wanted.map((each) => execute(new ChangePassword(actorId, old, each, metadata))),
    );
    expect(answers.filter(({ changed }) => changed)).toHaveLength(1);
    expect(await hashOf(actorId)).toBe(wanted[answers.findIndex(({ changed }) => changed)]);
    expect(await eventTypesOf(actorId)).toEqual(['account.password_changed']);
  });

  it('refuses a sign-in with the old one that was under way', async () => {
    const actorId = await network.createAccount('lara');
    const visitor = new Visitor(network.baseUrl);
    const asked = await requestAuthorization(visitor);
    const another = await hash('another password');
    const waiting = async () =>
      (await query(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`, [])).length;

    // Both wait for the lock of the credential, in the order of their arrival.
    const credentialLock = network.database().dataSource.createQueryRunner();
    await credentialLock.startTransaction();
    await credentialLock.query('SELECT FROM authority.credential WHERE actor_id = $1 FOR UPDATE', [actorId]);
    const changed = execute(new ChangePassword(actorId, await hashOf(actorId), another, metadata));
    await until(async () => (await waiting()) === 1);
    const answered = visitor.submit(asked, { handle: 'lara', password });
    await until(async () => (await waiting()) === 2);
    await credentialLock.rollbackTransaction();
    await credentialLock.release();

    expect(await changed).toEqual({ changed: true });
    expect(await answered).toMatchObject({
      status: 403,
      text: expect.stringContaining('Your password was just changed'),
    });
    expect(asksForPassword(await requestAuthorization(visitor))).toBe(true);
  });
});

describe('a suspended person', () => {
  it('can neither sign in nor use an existing session', async () => {
    const actorId = await network.createAccount('jana');
    const visitor = await signedIn('jana');
    await execute(new SuspendAccount(actorId, metadata));
    expect(asksForConsent(await requestAuthorization(visitor))).toBe(false);
    const fresh = new Visitor(network.baseUrl);
    const answer = await fresh.submit(await requestAuthorization(fresh), { handle: 'jana', password });
    expect(asksForConsent(answer)).toBe(false);
  });
});
