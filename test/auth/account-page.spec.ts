import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { Client } from 'pg';
import { SuspendApplication } from '../../src/commands/application/suspend-application.js';
import { streams } from '../../src/log/streams.js';
import { until } from '../support/until.js';
import { password } from './support/auth-network.js';
import { Visitor } from './support/visitor.js';
import { AccountArea, isSignIn, noticeIn } from './support/account.js';
import { authorizationRequest, discover, isLive } from './support/flow.js';

let area: AccountArea;

beforeAll(async () => {
  area = await AccountArea.start();
});

afterAll(() => area.network.stop());

describe('the account page', () => {
  it('asks for sign-in, and then names the person', async () => {
    const visitor = new Visitor(area.network.baseUrl);
    const asked = await visitor.open(area.address);
    expect(asked.status).toBe(200);
    expect(isSignIn(asked)).toBe(true);
    expect(asked.headers.get('content-security-policy')).toMatch(/default-src 'none'.*form-action 'self';/);
    const { handle, page } = await area.someone();
    expect(page.text).toContain(`The ${handle}`);
    expect(page.text).toContain(`${handle}@example.org`);
    expect(page.url).toBe(area.address);
  });

  it('shares its session with the OAuth flow, in both directions', async () => {
    const { visitor, handle } = await area.someone();
    const { url } = await authorizationRequest(area.client, 'read');
    expect((await visitor.open(url)).text).toContain('name="decision"');
    const other = new Visitor(area.network.baseUrl);
    await other.submit(await other.open(url), { handle, password });
    expect((await other.open(area.address)).text).toContain(`@${handle}`);
  });

  it('lists each connected application once: host, scopes in words, date of the grant and last use', async () => {
    const { visitor, actorId } = await area.someone();
    await area.connect(visitor, area.client, 'openid offline_access read');
    await area.connect(visitor, area.client, 'offline_access post:create');
    const other = await discover(area.network, await area.network.registerApplication());
    await area.connect(visitor, other);
    const since = Date.now() - 29 * 24 * 60 * 60_000;
    await area.network
      .database()
      .dataSource.query(
        `UPDATE authority.app_grant SET issued_at = $3, last_used_at = $4 WHERE actor_id = $1 AND app_id = $2`,
        [actorId, area.application.clientId, since, since + 300_000],
      );
    const { text } = await visitor.open(area.address);
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

  it('refuses to disconnect an application while the witness is unavailable, and succeeds afterwards', async () => {
    const { visitor } = await area.someone();
    const token = await area.connect(visitor);
    const page = await visitor.open(area.address);
    const witness = new Client(area.network.witnessDatabaseUrl);
    await witness.connect();
    await witness.query('BEGIN; SELECT line FROM head FOR UPDATE');
    const refused = await visitor.submit(page, { application: area.application.clientId });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect(refused.text).toContain(
      'The witness does not answer; nothing was written. Please try again later.',
    );
    expect(await isLive(area.client, token)).toBe(true);
    await witness.end();
    const done = await visitor.submit(page, { application: area.application.clientId });
    expect(done.status).toBe(200);
    expect(await isLive(area.client, token)).toBe(false);
  });

  it('disconnects an application with all its grants, and shows the notice once', async () => {
    const { visitor, actorId } = await area.someone();
    const tokens = [await area.connect(visitor), await area.connect(visitor)];
    const other = await discover(area.network, await area.network.registerApplication());
    const kept = await area.connect(visitor, other);
    const grants = await area.network
      .database()
      .dataSource.query('SELECT grant_id FROM authority.app_grant WHERE actor_id = $1 AND app_id = $2', [
        actorId,
        area.application.clientId,
      ]);
    const done = await visitor.submit(await visitor.open(area.address), {
      application: area.application.clientId,
    });
    expect(noticeIn(done)).toContain('Disconnected');
    expect(noticeIn(await visitor.open(area.address))).toBeUndefined();
    expect(await Promise.all(tokens.map((token) => isLive(area.client, token)))).toEqual([false, false]);
    expect(await isLive(other, kept)).toBe(true);
    const recorded = await area.network.log().read(streams.grant(grants[0].grant_id));
    expect(recorded.at(-1)).toMatchObject({
      event: { type: 'grant.revoked', data: { cause: 'person', actorId } },
      metadata: { actorId, addressClass: 'loopback', requestId: expect.stringMatching(/^[\da-f-]{36}$/) },
    });
  });

  it('marks a suspended application', async () => {
    const { visitor } = await area.someone();
    const credentials = await area.network.registerApplication();
    await area.connect(visitor, await discover(area.network, credentials));
    await area.connect(visitor);
    const metadata = { requestId: 'r', operator: 'test', reason: 'a test' };
    await area.network.app().get(CommandBus).execute(new SuspendApplication(credentials.clientId, metadata));
    const { text } = await visitor.open(area.address);
    expect(text.match(/Suspended by the network/g)).toHaveLength(1);
  });

  it('changes the password, which signs out all other browsers and renews this session', async () => {
    const { visitor, page, handle, actorId } = await area.someone();
    const [other] = await area.enter(handle);
    const token = await area.connect(visitor);
    const before = visitor.cookieValues.length;
    const done = await visitor.submit(page, { current: password, new: 'another long password' });
    expect(noticeIn(done)).toContain('Your password is changed');
    expect(visitor.cookieValues.slice(before).some((value) => value.length > 20)).toBe(true);
    expect([await area.isStillIn(visitor), await area.isStillIn(other)]).toEqual([true, false]);
    expect(await isLive(area.client, token)).toBe(true);
    expect(isSignIn((await area.enter(handle))[1])).toBe(true);
    expect(isSignIn((await area.enter(handle, 'another long password'))[1])).toBe(false);
    expect(await area.typesIn(streams.account(actorId))).toContain('account.password_changed');
  });

  it('signs out of itself and of the OAuth flow', async () => {
    const { visitor, page } = await area.someone();
    const token = await area.connect(visitor);
    const done = await visitor.submitTo(page, '/sign-out');
    expect(noticeIn(done)).toContain('You are signed out');
    expect(isSignIn(done)).toBe(true);
    const { url } = await authorizationRequest(area.client, 'read');
    expect(isSignIn(await visitor.open(url))).toBe(true);
    expect(await isLive(area.client, token)).toBe(true);
  });

  it('signs out all browsers, and keeps applications connected', async () => {
    const { visitor, page, handle, actorId } = await area.someone();
    const [other] = await area.enter(handle);
    const token = await area.connect(visitor);
    await visitor.submitTo(page, '/sign-out-everywhere');
    expect([await area.isStillIn(visitor), await area.isStillIn(other)]).toEqual([false, false]);
    expect(await isLive(area.client, token)).toBe(true);
    expect(await area.typesIn(streams.account(actorId))).toContain('account.signed_out');
  });

  it('signs out all browsers and disconnects all applications, if the person asks for it', async () => {
    const { visitor, page } = await area.someone();
    const token = await area.connect(visitor);
    const done = await visitor.submitTo(page, '/sign-out-everywhere', { disconnect: 'all' });
    expect(noticeIn(done)).toContain('no application is connected');
    expect(await isLive(area.client, token)).toBe(false);
  });

  it('signs out all browsers even if an application cannot be disconnected, and reports that', async () => {
    const { visitor, handle, actorId } = await area.someone();
    const token = await area.connect(visitor);
    await area.network.database().dataSource.query(
      `INSERT INTO authority.app_grant SELECT (jsonb_populate_record(app_grant, jsonb_build_object('grant_id', $2::text))).*
       FROM authority.app_grant WHERE actor_id = $1`,
      [actorId, `lost_${handle}`],
    );
    const page = await visitor.open(area.address);
    const done = await visitor.submitTo(page, '/sign-out-everywhere', { disconnect: 'all' });
    expect(noticeIn(done)).toContain('Not every application could be disconnected');
    expect(await area.isStillIn(visitor)).toBe(false);
    expect(await isLive(area.client, token)).toBe(false);
  });

  it('disconnects an application that another browser connects at the same moment', async () => {
    const { visitor, page, handle, actorId } = await area.someone();
    const [other] = await area.enter(handle);
    const { dataSource } = area.network.database();
    const credentialLock = dataSource.createQueryRunner();
    await credentialLock.startTransaction();
    await credentialLock.query('SELECT FROM authority.credential WHERE actor_id = $1 FOR SHARE', [actorId]);
    const answered = visitor.submitTo(page, '/sign-out-everywhere', { disconnect: 'all' });
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    await until(async () => (await dataSource.query<unknown[]>(waiting)).length === 1);
    const token = await area.connect(other);
    await credentialLock.rollbackTransaction();
    await credentialLock.release();
    expect(noticeIn(await answered)).toContain('no application is connected');
    expect(await isLive(area.client, token)).toBe(false);
  });
});
