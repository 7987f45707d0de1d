import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { Client } from 'pg';
import { SuspendApplication } from '../../src/commands/application/applications.js';
import { streams } from '../../src/log/streams.js';
import { until } from '../support/until.js';
import { password } from './support/auth-network.js';
import { Visitor } from './support/visitor.js';
import { AccountFixture, alertIn, isSignInPage, noticeIn } from './support/account.js';
import { authorizationRequest, discover, isLive } from './support/flow.js';

let fixture: AccountFixture;

beforeAll(async () => {
  fixture = await AccountFixture.start();
});

afterAll(() => fixture.network.stop());

describe('the account page', () => {
  it('asks for sign-in, and then names the person', async () => {
    const visitor = new Visitor(fixture.network.baseUrl);
    const asked = await visitor.open(fixture.address);
    expect(asked.status).toBe(200);
    expect(isSignInPage(asked)).toBe(true);
    expect(asked.headers.get('content-security-policy')).toMatch(/default-src 'none'.*form-action 'self';/);
    const { handle, page } = await fixture.newPerson();
    expect(page.text).toContain(`The ${handle}`);
    expect(page.text).toContain(`${handle}@example.org`);
    expect(page.url).toBe(fixture.address);
  });

  it('opens although the log does not have an event of the audit, as after a restore', async () => {
    const { visitor, actorId } = await fixture.newPerson();
    await fixture.network.database().dataSource.query(
      `WITH added AS (
         INSERT INTO audit.event (position, event_id, at, type, stream, revision, subject, actor_id, request_id)
         VALUES (900000, gen_random_uuid(), 1, 'account.signed_in', $1, 99, '{}', $2, 'r') RETURNING at, position)
       INSERT INTO audit.about (kind, id, at, position) SELECT 'actor', $2, at, position FROM added`,
      [streams.signIns(actorId), actorId],
    );
    const { status, text } = await visitor.open(fixture.address);
    expect([status, text]).toEqual([200, expect.stringContaining('It cannot be shown right now')]);
    expect(text).toContain('Applications with access');
    for (const before of ['0.7', 'x'])
      expect((await visitor.open(`${fixture.address}/history?before=${before}`)).status).toBe(400);
  });

  it('begins no download while the audit is of the release before, and counts none', async () => {
    const { visitor, actorId, page } = await fixture.newPerson();
    await fixture.network.database().dataSource.query(
      `INSERT INTO recovery.checkpoint (group_name, versions, applied_position, applied_event_id)
       VALUES ('audit', '{"audit":1}', 900000, gen_random_uuid())
       ON CONFLICT (group_name) DO UPDATE SET (versions, applied_position, applied_event_id) =
         (EXCLUDED.versions, EXCLUDED.applied_position, EXCLUDED.applied_event_id)`,
    );
    const refused = await visitor.submitTo(page, '/data', { proof: password });
    expect([refused.status, alertIn(refused)]).toEqual([400, expect.stringContaining('still catching up')]);
    expect(await fixture.network.log().read(streams.downloads(actorId))).toEqual([]);
  });

  it('shares its session with the OAuth flow, in both directions', async () => {
    const { visitor, handle } = await fixture.newPerson();
    const { url } = await authorizationRequest(fixture.client, 'read');
    expect((await visitor.open(url)).text).toContain('name="decision"');
    const other = new Visitor(fixture.network.baseUrl);
    await other.submit(await other.open(url), { handle, password });
    expect((await other.open(fixture.address)).text).toContain(`@${handle}`);
  });

  it('lists each connected application once: host, scopes in words, date of the grant and last use', async () => {
    const { visitor, actorId } = await fixture.newPerson();
    await fixture.connect(visitor, fixture.client, 'openid offline_access read');
    await fixture.connect(visitor, fixture.client, 'offline_access post:create');
    const other = await discover(fixture.network, await fixture.network.registerApplication());
    await fixture.connect(visitor, other);
    const since = Date.now() - 29 * 24 * 60 * 60_000;
    await fixture.network
      .database()
      .dataSource.query(
        `UPDATE authority.app_grant SET issued_at = $3, last_used_at = $4 WHERE actor_id = $1 AND app_id = $2`,
        [actorId, fixture.application.clientId, since, since + 300_000],
      );
    const { text } = await visitor.open(fixture.address);
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
    const { visitor } = await fixture.newPerson();
    const token = await fixture.connect(visitor);
    const page = await visitor.open(fixture.address);
    const witness = new Client(fixture.network.witnessDatabaseUrl);
    await witness.connect();
    await witness.query('BEGIN; SELECT line FROM head FOR UPDATE');
    const refused = await visitor.submit(page, { application: fixture.application.clientId });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect(refused.text).toContain(
      'The witness does not answer; nothing was written. Please try again later.',
    );
    expect(await isLive(fixture.client, token)).toBe(true);
    await witness.end();
    const done = await visitor.submit(page, { application: fixture.application.clientId });
    expect(done.status).toBe(200);
    expect(await isLive(fixture.client, token)).toBe(false);
  });

  it('disconnects an application with all its grants, and shows the notice once', async () => {
    const { visitor, actorId } = await fixture.newPerson();
    const tokens = [await fixture.connect(visitor), await fixture.connect(visitor)];
    const other = await discover(fixture.network, await fixture.network.registerApplication());
    const kept = await fixture.connect(visitor, other);
    const grants = await fixture.network
      .database()
      .dataSource.query('SELECT grant_id FROM authority.app_grant WHERE actor_id = $1 AND app_id = $2', [
        actorId,
        fixture.application.clientId,
      ]);
    const done = await visitor.submit(await visitor.open(fixture.address), {
      application: fixture.application.clientId,
    });
    expect(noticeIn(done)).toContain('Disconnected');
    expect(noticeIn(await visitor.open(fixture.address))).toBeUndefined();
    expect(await Promise.all(tokens.map((token) => isLive(fixture.client, token)))).toEqual([false, false]);
    expect(await isLive(other, kept)).toBe(true);
    const recorded = await fixture.network.log().read(streams.grant(grants[0].grant_id));
    expect(recorded.at(-1)).toMatchObject({
      event: { type: 'grant.revoked', data: { cause: 'person', actorId } },
      metadata: { actorId, addressClass: 'loopback', requestId: expect.stringMatching(/^[\da-f-]{36}$/) },
    });
  });

  it('marks a suspended application', async () => {
    const { visitor } = await fixture.newPerson();
    const credentials = await fixture.network.registerApplication();
    await fixture.connect(visitor, await discover(fixture.network, credentials));
    await fixture.connect(visitor);
    const metadata = { requestId: 'r', operator: 'test', reason: 'a test' };
    await fixture.network
      .app()
      .get(CommandBus)
      .execute(new SuspendApplication(credentials.clientId, metadata));
    const { text } = await visitor.open(fixture.address);
    expect(text.match(/Suspended by the network/g)).toHaveLength(1);
  });

  it('changes the password, which signs out all other browsers and renews this session', async () => {
    const { visitor, page, handle, actorId } = await fixture.newPerson();
    const [other] = await fixture.signInAs(handle);
    const token = await fixture.connect(visitor);
    const before = visitor.cookieValues.length;
    const done = await visitor.submit(page, { current: password, new: 'another long password' });
    expect(noticeIn(done)).toContain('Your password is changed');
    expect(visitor.cookieValues.slice(before).some((value) => value.length > 20)).toBe(true);
    expect([await fixture.isSignedIn(visitor), await fixture.isSignedIn(other)]).toEqual([true, false]);
    expect(await isLive(fixture.client, token)).toBe(true);
    expect(isSignInPage((await fixture.signInAs(handle))[1])).toBe(true);
    expect(isSignInPage((await fixture.signInAs(handle, 'another long password'))[1])).toBe(false);
    expect(await fixture.eventTypesIn(streams.account(actorId))).toContain('account.password_changed');
  });

  it('signs out of itself and of the OAuth flow', async () => {
    const { visitor, page } = await fixture.newPerson();
    const token = await fixture.connect(visitor);
    const done = await visitor.submitTo(page, '/sign-out');
    expect(noticeIn(done)).toContain('You are signed out');
    expect(isSignInPage(done)).toBe(true);
    const { url } = await authorizationRequest(fixture.client, 'read');
    expect(isSignInPage(await visitor.open(url))).toBe(true);
    expect(await isLive(fixture.client, token)).toBe(true);
  });

  it('signs out all browsers, and keeps applications connected', async () => {
    const { visitor, page, handle, actorId } = await fixture.newPerson();
    const [other] = await fixture.signInAs(handle);
    const token = await fixture.connect(visitor);
    await visitor.submitTo(page, '/sign-out-everywhere');
    expect([await fixture.isSignedIn(visitor), await fixture.isSignedIn(other)]).toEqual([false, false]);
    expect(await isLive(fixture.client, token)).toBe(true);
    expect(await fixture.eventTypesIn(streams.account(actorId))).toContain('account.signed_out');
  });

  it('signs out all browsers and disconnects all applications, if the person asks for it', async () => {
    const { visitor, page } = await fixture.newPerson();
    const token = await fixture.connect(visitor);
    const done = await visitor.submitTo(page, '/sign-out-everywhere', { disconnect: 'all' });
    expect(noticeIn(done)).toContain('no application is connected');
    expect(await isLive(fixture.client, token)).toBe(false);
  });

  it('signs out all browsers even if an application cannot be disconnected, and reports that', async () => {
    const { visitor, handle, actorId } = await fixture.newPerson();
    const token = await fixture.connect(visitor);
    await fixture.network.database().dataSource.query(
      `INSERT INTO authority.app_grant SELECT (jsonb_populate_record(app_grant, jsonb_build_object('grant_id', $2::text))).*
       FROM authority.app_grant WHERE actor_id = $1`,
      [actorId, `lost_${handle}`],
    );
    const page = await visitor.open(fixture.address);
    const done = await visitor.submitTo(page, '/sign-out-everywhere', { disconnect: 'all' });
    expect(noticeIn(done)).toContain('Not every application could be disconnected');
    expect(await fixture.isSignedIn(visitor)).toBe(false);
    expect(await isLive(fixture.client, token)).toBe(false);
  });

  it('disconnects an application that another browser connects at the same moment', async () => {
    const { visitor, page, handle, actorId } = await fixture.newPerson();
    const [other] = await fixture.signInAs(handle);
    const { dataSource } = fixture.network.database();
    const credentialLock = dataSource.createQueryRunner();
    await credentialLock.startTransaction();
    await credentialLock.query('SELECT FROM authority.credential WHERE actor_id = $1 FOR SHARE', [actorId]);
    const answered = visitor.submitTo(page, '/sign-out-everywhere', { disconnect: 'all' });
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    await until(async () => (await dataSource.query<unknown[]>(waiting)).length === 1);
    const token = await fixture.connect(other);
    await credentialLock.rollbackTransaction();
    await credentialLock.release();
    expect(noticeIn(await answered)).toContain('no application is connected');
    expect(await isLive(fixture.client, token)).toBe(false);
  });
});
