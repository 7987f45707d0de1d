import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuthorizationServer } from '../../src/doors/auth/authorization-server.js';
import { credentialHash } from '../../src/base/store/authority/credential-hash.js';
import { password } from './support/auth-network.js';
import { Visitor } from './support/visitor.js';
import { AccountFixture } from './support/account.js';
import type { SignedInPerson } from './support/account.js';
import { authorizationRequest, exchange } from './support/flow.js';
import type { PageAnswer } from './support/visitor.js';

let fixture: AccountFixture;

beforeAll(async () => {
  fixture = await AccountFixture.start();
});

afterAll(() => fixture.network.stop());

describe('a browser session', () => {
  it('gets a new identifier at each sign-in, which makes a planted one useless', async () => {
    const victim = new Visitor(fixture.network.baseUrl);
    // All cookies from before the sign-in: those that an attacker could plant.
    await victim.open(`${fixture.network.issuer}/oauth2/end-session`);
    await victim.open(fixture.address);
    const planted = new Visitor(fixture.network.baseUrl);
    planted.takeCookiesOf(victim);
    const { handle } = await fixture.newPerson();
    await victim.submit(await victim.open(fixture.address), { handle, password });
    const seen = new Visitor(fixture.network.baseUrl);
    seen.takeCookiesOf(victim);
    expect([
      await fixture.isSignedIn(victim),
      await fixture.isSignedIn(seen),
      await fixture.isSignedIn(planted),
    ]).toEqual([true, true, false]);
    const { url } = await authorizationRequest(fixture.client, 'read', { prompt: 'login consent' });
    await victim.submit(await victim.open(url), { handle, password });
    expect([await fixture.isSignedIn(victim), await fixture.isSignedIn(seen)]).toEqual([true, false]);
  });

  it('gets a new identifier when the same person signs in again from a page that was left open', async () => {
    const { handle } = await fixture.newPerson();
    const visitor = new Visitor(fixture.network.baseUrl);
    const open = await visitor.open(fixture.address);
    await visitor.submit(open, { handle, password });
    const seen = new Visitor(fixture.network.baseUrl);
    seen.takeCookiesOf(visitor);
    expect(await fixture.isSignedIn(seen)).toBe(true);
    await visitor.submit(open, { handle, password });
    expect([await fixture.isSignedIn(visitor), await fixture.isSignedIn(seen)]).toEqual([true, false]);
  });

  it('belongs to the next person who signs in with the browser, and the old one ends', async () => {
    const [ana, bob] = [await fixture.newPerson(), await fixture.newPerson()];
    const seen = new Visitor(fixture.network.baseUrl);
    seen.takeCookiesOf(ana.visitor);
    const attempt = await authorizationRequest(fixture.client, 'openid read', { prompt: 'login consent' });
    const signIn = await ana.visitor.open(attempt.url);
    const typed = { handle: bob.handle, password };
    const sent = await ana.visitor.request(new URL(signIn.forms[0]!.action, fixture.network.baseUrl), {
      method: 'POST',
      headers: { origin: fixture.network.baseUrl },
      body: new URLSearchParams({ ...signIn.forms[0]!.fields, ...typed }),
    });
    const resumed = await ana.visitor.request(sent.headers.get('location')!);
    // No intermediate page that submits itself.
    expect([sent.status, resumed.status]).toEqual([303, 303]);
    const consent = await ana.visitor.open(resumed.headers.get('location')!);
    expect(consent.text).toContain(`@${bob.handle}`);
    const { url } = await ana.visitor.submit(consent, { decision: 'allow' });
    expect((await exchange(fixture.client, new URL(url), attempt)).access_token).toBeTruthy();
    expect(await fixture.isSignedIn(seen)).toBe(false);
    expect((await ana.visitor.open(fixture.address)).text).toContain(`@${bob.handle}`);
  });

  it.each<readonly [string, (person: SignedInPerson) => Promise<PageAnswer>]>([
    [
      'signed in again',
      async ({ visitor, handle }) => {
        const { url } = await authorizationRequest(fixture.client, 'read', { prompt: 'login consent' });
        return visitor.submit(await visitor.open(url), { handle, password });
      },
    ],
    [
      'changed the password',
      ({ visitor, page }) => visitor.submit(page, { current: password, new: 'another long password' }),
    ],
  ])('ends once its person has %s, even if concurrent requests still save it', async (_what, replace) => {
    const person = await fixture.newPerson();
    const { Session } = fixture.network.app().get(AuthorizationServer).provider;
    const { value } = person.visitor.cookie('plaza_session');
    const [kept, renamed] = [await Session.find(value), await Session.find(value)];
    expect((await replace(person)).status).toBe(200);
    renamed?.resetIdentifier();
    await kept?.save(1_000);
    await renamed?.save(1_000);
    expect(await Session.find(value)).toBeUndefined();
    expect(await Session.find(renamed!.jti)).toBeUndefined();
    expect(await fixture.isSignedIn(person.visitor)).toBe(true);
  });

  it('keeps its person if the next one’s session cannot be stored', async () => {
    const [ana, bob] = [await fixture.newPerson(), await fixture.newPerson()];
    const visitor = new Visitor(fixture.network.baseUrl);
    const open = await visitor.open(fixture.address);
    await visitor.submit(open, { handle: ana.handle, password });
    const lock = fixture.network.database().dataSource.createQueryRunner();
    await lock.startTransaction();
    await lock.query('SELECT FROM authority.oidc_record WHERE key_hash = $1 FOR UPDATE', [
      credentialHash(visitor.cookie('plaza_session').value),
    ]);
    const { status } = await visitor.submit(open, { handle: bob.handle, password });
    await lock.rollbackTransaction();
    await lock.release();
    expect(status).toBe(503);
    expect((await visitor.open(fixture.address)).text).toContain(`@${ana.handle}`);
  });
});
