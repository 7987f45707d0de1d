import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { ReinstateAccount } from '../../src/commands/account/accounts.js';
import { password } from './support/auth-network.js';
import { AccountFixture, alertIn, noticeIn } from './support/account.js';
import { Visitor } from './support/visitor.js';
import { authorizationRequest, isLive } from './support/flow.js';

let fixture: AccountFixture;

beforeAll(async () => {
  fixture = await AccountFixture.start();
});

afterAll(() => fixture.network.stop());

describe('the account page refuses', () => {
  it('a wrong password and an unknown handle with the same answer', async () => {
    const { handle } = await fixture.newPerson();
    const answers = [
      (await fixture.signInAs(handle, 'wrong password'))[1],
      (await fixture.signInAs('nobody_at_all'))[1],
    ];
    expect(new Set(answers.map(alertIn)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect(alertIn(answers[0]!)).toBeTruthy();
  });

  it('a suspended person everything but the appeal page, which needs the right password', async () => {
    const { handle, actorId, visitor } = await fixture.newPerson();
    await fixture.suspend(handle, actorId);
    const [appellant, right] = await fixture.signInAs(handle);
    expect([right.status, right.url]).toEqual([200, `${fixture.address}/appeal`]);
    expect(right.text).toContain('Your account is suspended');
    expect(right.text).not.toContain('Change your password');
    const [, wrong] = await fixture.signInAs(handle, 'wrong password');
    expect(wrong.status).toBe(400);
    expect(wrong.text).not.toContain('suspended');
    for (const each of [visitor, appellant]) expect(await fixture.isSignedIn(each)).toBe(false);
    // The browser sends the cookie to no other page, and no other page would read it.
    expect(appellant.cookiesFor(fixture.address).join()).not.toContain('plaza_appeal');
    expect(appellant.cookiesFor(right.url).join()).toContain('plaza_appeal');
    appellant.plant('plaza_appeal', appellant.cookie('plaza_appeal'));
    appellant.plant('plaza_session', appellant.cookie('plaza_appeal'));
    expect(await fixture.isSignedIn(appellant)).toBe(false);
  });

  it('a suspended person at the sign-in of an application, even with access to the appeal page', async () => {
    const { handle, actorId } = await fixture.newPerson();
    await fixture.suspend(handle, actorId);
    const [appellant] = await fixture.signInAs(handle);
    const { url } = await authorizationRequest(fixture.client, 'openid read');
    const refused = await appellant.submit(await appellant.open(url), { handle, password });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('social_authority_required');
    expect(await fixture.isSignedIn(appellant)).toBe(false);
  });

  it('the appeal page without its cookie, with a forged one, after the sign-out and after the suspension', async () => {
    const { handle, actorId, visitor } = await fixture.newPerson();
    const page = `${fixture.address}/appeal`;
    const isOpen = async (each: Visitor) =>
      (await each.open(page)).text.includes('Your account is suspended');
    expect(await isOpen(visitor)).toBe(false);
    await fixture.suspend(handle, actorId);
    const [[appellant, first], [other]] = [await fixture.signInAs(handle), await fixture.signInAs(handle)];
    expect([await isOpen(appellant), await isOpen(other), await isOpen(visitor)]).toEqual([
      true,
      true,
      false,
    ]);
    const { signature } = appellant.cookie('plaza_appeal');
    const forger = new Visitor(fixture.network.baseUrl);
    forger.plant('plaza_appeal', { value: `${actorId}.99999999999999.x`, signature });
    expect(await isOpen(forger)).toBe(false);
    await appellant.submitTo(first, '/appeal/sign-out');
    expect(await isOpen(appellant)).toBe(false);
    const metadata = { requestId: 'r', operator: 'test', reason: 'a test' };
    await fixture.network.app().get(CommandBus).execute(new ReinstateAccount(actorId, metadata));
    expect(await isOpen(other)).toBe(false);
  });

  it('a form of a suspended person’s page', async () => {
    const { handle, actorId, visitor, page } = await fixture.newPerson();
    const token = await fixture.connect(visitor);
    await fixture.suspend(handle, actorId);
    const refused = await visitor.submitTo(page, '/password', { current: password, new: 'another password' });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('login_required');
    expect(await isLive(fixture.client, token)).toBe(false);
  });

  it.each([
    ['too short', 'short', 'at least 8'],
    ['of seven emoji', '🦊🦊🦊🦊🦊🦊🦊', 'at least 8'],
    ['the handle', 'person', 'neither your handle'],
    ['the current one', password, 'another one'],
  ])('a new password that is %s', async (what, typed, words) => {
    const { visitor, page, handle } = await fixture.newPerson();
    const next = what === 'the handle' ? handle.toUpperCase() : typed;
    const refused = await visitor.submit(page, { current: password, new: next });
    expect(refused.status).toBe(400);
    expect(alertIn(refused)).toContain(words);
    expect(refused.text).toContain('aria-describedby="new-fault new-hint"');
    expect(refused.text).not.toContain(`value="${next}"`);
  });

  it('no new password of 1,024 characters, whatever its length in bytes', async () => {
    const { visitor, page, handle } = await fixture.newPerson();
    const [first, second] = ['\u{20000}'.repeat(1024), '\u{20001}'.repeat(1024)];
    const changed = await visitor.submit(page, { current: password, new: first });
    expect(noticeIn(changed)).toContain('Your password is changed');
    const again = await visitor.submit(changed, { current: first, new: second });
    expect(noticeIn(again)).toContain('Your password is changed');
    expect((await fixture.signInAs(handle, second))[1].status).toBe(200);
  });

  it('a new password without the current one, and any after ten wrong ones', async () => {
    const { visitor, page, handle } = await fixture.newPerson();
    const guess = () => visitor.submit(page, { current: 'not the one', new: 'another password' });
    const wrong = await guess();
    expect([wrong.status, alertIn(wrong)]).toEqual([400, 'That is not your current password.']);
    for (let tries = 1; tries < 10; tries++) await guess();
    const refused = await guess();
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('pilot_rate_limited');
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expect(refused.headers.get('ratelimit')).toMatch(/^"session";r=0;t=\d+$/);
    expect(refused.headers.get('ratelimit-policy')).toBe('"session";q=10;w=600');
    // Another browser has its own limit: signing in there took the password.
    const [other, account] = await fixture.signInAs(handle);
    expect(account.status).toBe(200);
    const changed = await other.submit(account, { current: password, new: 'another password' });
    expect(noticeIn(changed)).toContain('Your password is changed');
  });

  it('no form of a signed-in person for failed sign-ins of other people', async () => {
    const { visitor, page, handle } = await fixture.newPerson();
    const stranger = new Visitor(fixture.network.baseUrl);
    const signIn = await stranger.open(fixture.address);
    const guess = () => stranger.submit(signIn, { handle, password: 'not the one' });
    const statuses = await Promise.all(Array.from({ length: 11 }, async () => (await guess()).status));
    expect(statuses.sort((a, b) => a - b)).toEqual([...Array<number>(10).fill(400), 429]);
    const changed = await visitor.submit(page, { current: password, new: 'another password' });
    expect(noticeIn(changed)).toContain('Your password is changed');
    const planned = await visitor.submitTo(changed, '/erase', { confirm: 'another password' });
    expect(noticeIn(planned)).toContain('will be deleted');
  });

  it.each([
    ['without Origin', { origin: '' }, {}, 'origin_required'],
    ['from another site', { origin: 'https://evil.example' }, {}, 'origin_mismatch'],
    ['from a frame without an origin', { origin: 'null' }, {}, 'origin_mismatch'],
    ['without its hidden field', {}, { form: '' }, 'invalid_request'],
    ['with a forged hidden field', {}, { form: `x.${'A'.repeat(43)}` }, 'invalid_request'],
  ])('a form %s', async (_what, headers, fields, code) => {
    const visitor = new Visitor(fixture.network.baseUrl);
    const { page, visitor: person } = await fixture.newPerson();
    const typed = { handle: 'nobody', password, ...fields };
    const answers = [
      await visitor.submit(await visitor.open(fixture.address), typed, headers),
      ...(await Promise.all(
        ['/sign-out', '/sign-out-everywhere', '/password'].map((to) =>
          person.submitTo(page, to, fields, headers),
        ),
      )),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    for (const { text } of answers) expect(text).toContain(code);
    expect(await fixture.isSignedIn(person)).toBe(true);
  });

  it('a form of another person’s page or of another browser', async () => {
    const [ana, bob] = [await fixture.newPerson(), await fixture.newPerson()];
    const stolen = await bob.visitor.submitTo(ana.page, '/sign-out-everywhere');
    expect(stolen.status).toBe(403);
    expect(await fixture.isSignedIn(bob.visitor)).toBe(true);
    const page = await new Visitor(fixture.network.baseUrl).open(fixture.address);
    const elsewhere = await new Visitor(fixture.network.baseUrl).submit(page, {
      handle: ana.handle,
      password,
    });
    expect(elsewhere.status).toBe(403);
    const nobody = await new Visitor(fixture.network.baseUrl).submitTo(ana.page, '/sign-out');
    expect([nobody.status, nobody.text.includes('login_required')]).toEqual([403, true]);
  });

  it('to disconnect an application of another person', async () => {
    const [ana, bob] = [await fixture.newPerson(), await fixture.newPerson()];
    const token = await fixture.connect(ana.visitor);
    await fixture.connect(bob.visitor);
    await bob.visitor.submit(await bob.visitor.open(fixture.address), {
      application: fixture.application.clientId,
    });
    expect(await isLive(fixture.client, token)).toBe(true);
    const page = await ana.visitor.open(fixture.address);
    expect((await ana.visitor.submit(page, { application: "x' OR '1" })).status).toBe(400);
    expect(await isLive(fixture.client, token)).toBe(true);
  });

  it('a notice that comes in a link or in a cookie without a signature', async () => {
    const { visitor } = await fixture.newPerson();
    const linked = await visitor.open(`${fixture.address}?notice=disconnected`);
    expect(noticeIn(linked)).toBeUndefined();
    const planted = await fetch(fixture.address, {
      headers: { accept: 'text/html', cookie: 'plaza_notice=disconnected; plaza_notice.sig=AAAA' },
    });
    expect(await planted.text()).not.toContain('role="status"');
  });

  const post = async (init: RequestInit, accept: string) => {
    const answer = await fetch(`${fixture.address}/sign-in`, {
      method: 'POST',
      ...init,
      headers: { origin: fixture.network.baseUrl, accept, ...(init.headers as Record<string, string>) },
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
    ['a field sent twice', 400, form('handle=a&handle=b')],
    ['U+0000', 400, form('handle=a%00')],
    ['bytes that are not UTF-8', 400, form('handle=%ff')],
    ['another method', 405, { method: 'DELETE' }],
  ])('%s, with a page for a browser and an Error object for a program', async (_what, status, init) => {
    const page = await post(init, 'text/html');
    expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const answer = await post(init, 'application/json');
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ error: 'invalid_request', message: expect.any(String) });
    expect(answer.headers.get('allow')).toBe(status === 405 ? 'GET, HEAD, POST' : null);
  });

  it.each([
    ['/account/sign-in', '/account'],
    ['/account/decisions', '/account'],
    ['/account/appeal/sign-out', '/account/appeal'],
    ['/interaction/x/consent?y=z', '/interaction/x'],
  ])('GET of the address of a form leads to its page: %s', async (path, page) => {
    const { issuer } = fixture.network;
    const answer = await fetch(issuer + path, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, new URL(issuer + page).pathname]);
  });

  it.each(['/account/nothing', '/account/', '/interaction/x/nothing', '/interaction'])(
    'an unknown address below its own: %s',
    async (path) => {
      const page = await fetch(fixture.network.issuer + path, { headers: { accept: 'text/html' } });
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      const answer = await fetch(fixture.network.issuer + path);
      expect(await answer.json()).toEqual({ error: 'not_found', message: expect.any(String) });
    },
  );
});
