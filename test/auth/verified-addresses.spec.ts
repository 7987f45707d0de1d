import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { Pool } from 'pg';
import { systemClock } from '../../src/base/support/clock.js';
import { ADDRESS_LINK_HOURS, AddressLinks } from '../../src/commands/account/address-links.js';
import { RECOVERY_LINK_MINUTES } from '../../src/commands/account/recovery-links.js';
import { NetworkCipher } from '../../src/commands/support/network-cipher.js';
import { freePort } from '../../src/launch/free-port.js';
import { NetworkSecrets } from '../../src/log/vault/network-secrets.js';
import { isOutage } from '../../src/log/witness/outage.js';
import { limits } from '../../src/base/config/limit-settings.js';
import { streams } from '../../src/log/streams.js';
import { alertIn, noticeIn } from './support/account.js';
import { password } from './support/auth-network.js';
import { linkIn, MailFixture } from './support/mail.js';
import type { PersonWithAddress } from './support/mail.js';
import { addPasskey, changeByPassword } from './support/passkeys.js';
import { Visitor } from './support/visitor.js';

let mail: MailFixture;

beforeAll(async () => {
  mail = await MailFixture.start();
  await mail.restart({ RATE_LIMITS: 'off' });
});

afterAll(() => mail.stop());

const addressEvents = async ({ actorId }: PersonWithAddress) =>
  (await mail.network.log().read(streams.access(actorId))).map(({ event }) => event);

/** The claims of the person that an application gets. */
async function claimsOf({ visitor, handle }: PersonWithAddress) {
  const token = await mail.accounts.connect(visitor);
  const claims = await oidc.fetchUserInfo(mail.accounts.client, token, oidc.skipSubjectCheck);
  expect(claims['preferred_username']).toBe(handle);
  return [claims['email'], claims['email_verified']];
}

describe('the address of a sign-up', () => {
  it('is unverified until its person confirms it, by a link of a mail with the handle', async () => {
    const person = await mail.signUp();
    expect(person.page.text).toContain('not confirmed');
    expect(await claimsOf(person)).toEqual([person.address, false]);
    const received = await mail.smtp.take(person.address);
    expect(received.source).toContain(`Subject: Plaza: is this the address of @${person.handle}?`);
    expect(received.text).toContain(`If you are not @${person.handle}, do not confirm it`);
    const page = await person.visitor.open(linkIn(received));
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(person.address)]);
    expect(await claimsOf(person)).toEqual([person.address, false]);
    expect(noticeIn(await mail.confirm(person.visitor, linkIn(received)))).toBe('Your address is confirmed.');
    expect(await claimsOf(person)).toEqual([person.address, true]);
    expect((await addressEvents(person)).map(({ type }) => type)).toEqual(['account.address_verified']);
  });

  it('is not verified by opening the link, however often and wherever', async () => {
    const person = await mail.signUp();
    const link = linkIn(await mail.smtp.take(person.address));
    await mail.settle();
    const before = await mail.everything();
    for (let times = 0; times < 100; times++)
      await Promise.all([new Visitor(mail.network.baseUrl).open(link), person.visitor.open(link)]);
    expect(await mail.everything()).toEqual(before);
    expect(await claimsOf(person)).toEqual([person.address, false]);
  });

  it('is verified in no browser but that of its person', async () => {
    const [person, other] = [await mail.signUp(), await mail.signUp()];
    await mail.smtp.take(other.address);
    const link = linkIn(await mail.smtp.take(person.address));
    const stranger = new Visitor(mail.network.baseUrl);
    const asked = await stranger.open(link);
    expect([asked.status, asked.text]).toEqual([400, expect.stringContaining('Sign in first')]);
    expect(asked.text).not.toContain(person.handle);
    const refused = await other.visitor.open(link);
    expect(refused.text).toContain('another account');
    const own = await person.visitor.open(link);
    const form = own.forms.find(({ action }) => action.endsWith('/confirm'));
    const forged = await other.visitor.submitTo(own, '/address/confirm');
    expect([form !== undefined, forged.status]).toEqual([true, 403]);
    const page = await other.visitor.open(mail.accounts.address);
    const sent = await other.visitor.request(`${mail.accounts.address}/address/confirm`, {
      method: 'POST',
      headers: { origin: mail.network.baseUrl },
      body: new URLSearchParams({
        form: page.forms[0]?.fields['form'] ?? '',
        token: new URL(link).searchParams.get('token') ?? '',
      }),
    });
    expect([sent.status, sent.text]).toEqual([400, expect.stringContaining('cannot be used')]);
    expect([await claimsOf(person), await claimsOf(other)]).toEqual([
      [person.address, false],
      [other.address, false],
    ]);
  });

  it('has no mail for an account that an operator made, until its person asks', async () => {
    const { visitor, handle, page } = await mail.accounts.newPerson();
    await mail.settle();
    expect(mail.smtp.received).toEqual([]);
    expect(page.text).toContain('Send me a link to confirm it');
    await visitor.submitTo(page, '/address/verify');
    await mail.confirm(visitor, linkIn(await mail.smtp.take(`${handle}@example.org`)));
    expect((await visitor.open(mail.accounts.address)).text).toContain('(confirmed');
  });
});

describe('a link', () => {
  it('is not called ended while the vault does not answer', async () => {
    const pool = new Pool({ host: '127.0.0.1', port: await freePort() });
    const links = new AddressLinks(new NetworkCipher(new NetworkSecrets(pool)), systemClock);
    const fault = await links.read('any').catch((error: unknown) => error);
    expect(isOutage(fault)).toBe(true);
    await pool.end();
  });
});

describe('a sign-up that failed after the account was made', () => {
  it('asks to confirm the address when the form is sent again', async () => {
    const visitor = new Visitor(mail.network.baseUrl);
    const form = await visitor.open(`${mail.accounts.address}/sign-up`);
    const email = 'again@example.org';
    const typed = { handle: 'again', displayName: 'N', email, password };
    await mail.query('ALTER TABLE authority.mail_request RENAME TO away');
    const failed = await visitor.submit(form, typed);
    await mail.query('ALTER TABLE authority.away RENAME TO mail_request');
    expect(failed.status).toBeGreaterThanOrEqual(500);
    expect(noticeIn(await visitor.submit(form, typed))).toContain('A mail asks you to confirm');
    expect(linkIn(await mail.smtp.take(email))).toContain('token=');
  });

  it('promises no mail to an address that none reaches', async () => {
    const person = await mail.signUp('"ada"@example.org');
    expect(noticeIn(person.page)).toBe('Welcome! Your account is ready.');
    expect(await mail.recipients('ada')).toEqual([]);
  });
});

describe('one address', () => {
  it('is verified for one account, in any spelling, and only a mail to it tells', async () => {
    const owner = await mail.verified();
    const spelled = owner.address.toUpperCase();
    const other = await mail.signUp(spelled);
    const received = await mail.smtp.take(owner.address);
    expect(received.source).toContain(`Subject: Plaza: this address is already that of @${owner.handle}`);
    expect(received.text).not.toMatch(/https?:/);
    expect(received.text).not.toContain(other.handle);
    const fresh = await mail.signUp();
    await mail.smtp.take(fresh.address);
    const normal = (text: string) =>
      text.replaceAll(
        /<time.*<\/time>|name="form" value="[^"]*"|mail_[a-z0-9]+|MAIL_[A-Z0-9]+|example\.org/gi,
        '',
      );
    expect(normal(other.page.text)).toBe(normal(fresh.page.text));
    expect(await claimsOf(other)).toEqual([spelled, false]);
  });

  it('of two accounts that confirm it at the same time goes to one', async () => {
    const [one, two] = [await mail.verified(), await mail.verified()];
    const wanted = `wanted.${one.address}`;
    await mail.askChange(one, wanted);
    const first = linkIn(await mail.smtp.take(wanted));
    await mail.askChange(two, wanted);
    const second = linkIn(await mail.smtp.take(wanted));
    const pages = await Promise.all([mail.confirm(one.visitor, first), mail.confirm(two.visitor, second)]);
    expect(pages.map((page) => [page.status, noticeIn(page)])).toEqual(
      expect.arrayContaining([
        [200, 'Your address is confirmed.'],
        [400, undefined],
      ]),
    );
    expect(pages.find(({ status }) => status === 400)?.text).toContain(
      'The address is that of another account',
    );
    const claims = [await claimsOf(one), await claimsOf(two)];
    expect(claims.filter(([email]) => email === wanted)).toEqual([[wanted, true]]);
    expect(claims.every(([, isVerified]) => isVerified)).toBe(true);
    await mail.settle();
    mail.smtp.received.length = 0;
  });
});

describe('a change of the address', () => {
  it('asks for the password, counts once confirmed, and tells the old address without a link', async () => {
    const person = await mail.verified();
    const changed = `new.${person.address}`;
    const wrong = await mail.askChange(person, changed, 'a wrong password');
    expect([wrong.status, alertIn(wrong)]).toEqual([400, 'That is not your password.']);
    const malformed = await mail.askChange(person, 'a@b(c)d.example');
    expect([malformed.status, alertIn(malformed)]).toEqual([400, 'No mail can be sent to this address.']);
    expect(noticeIn(await mail.askChange(person, changed))).toContain('A mail is on its way');
    expect(await claimsOf(person)).toEqual([person.address, true]);
    await mail.confirm(person.visitor, linkIn(await mail.smtp.take(changed)));
    expect(await claimsOf(person)).toEqual([changed, true]);
    const told = await mail.smtp.take(person.address);
    expect(told.source).toContain(`Subject: Plaza: @${person.handle} has another address`);
    expect(told.text).not.toMatch(/https?:|new\./);
    expect((await addressEvents(person)).at(-1)).toEqual({
      type: 'account.address_changed',
      data: {
        actorId: person.actorId,
        address: changed,
        previous: person.address,
        wasVerified: true,
        at: expect.any(Number),
      },
    });
  });

  it('is confirmed by no link from before another change or a new password', async () => {
    const person = await mail.verified();
    const [first, second] = [`first.${person.address}`, `second.${person.address}`];
    await mail.askChange(person, first);
    const late = linkIn(await mail.smtp.take(first));
    await mail.change(person, second);
    await mail.smtp.take(person.address);
    expect((await mail.confirm(person.visitor, late)).text).toContain('cannot be used');
    await mail.askChange(person, first);
    const after = linkIn(await mail.smtp.take(first));
    const page = await person.visitor.open(mail.accounts.address);
    await person.visitor.submit(page, { current: password, new: 'a changed battery' });
    expect((await mail.confirm(person.visitor, after)).text).toContain('cannot be used');
    await mail.askChange(person, first, 'a changed battery');
    const old = linkIn(await mail.smtp.take(first));
    mail.network.advanceClock(ADDRESS_LINK_HOURS * 60 * 60_000);
    expect((await person.visitor.open(old)).text).toContain('cannot be used');
    const { text } = await person.visitor.open(mail.accounts.address);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`${second} (confirmed`);
  });

  it('says the same of an address that is another account’s', async () => {
    const [owner, person] = [await mail.verified(), await mail.verified()];
    const taken = await mail.askChange(person, owner.address);
    expect((await mail.smtp.take(owner.address)).text).toContain(`your account @${owner.handle}`);
    const free = await mail.askChange(person, `free.${person.address}`);
    await mail.smtp.take(`free.${person.address}`);
    const normal = (text: string) => text.replaceAll(/name="form" value="[^"]*"/g, '');
    expect([taken.status, normal(taken.text)]).toEqual([free.status, normal(free.text)]);
  });
});

const withFreshBudgets = async () => {
  await mail.query('DELETE FROM limits.used');
  await mail.restart();
};

/** Budgets go by the clock of the machine. */
const passMinutes = async (minutes: number) => {
  mail.network.advanceClock(minutes * 60_000);
  await mail.query('UPDATE limits.used SET expire = expire - $1', [minutes * 60_000]);
  await mail.restart();
};

describe('mails', () => {
  it('to one account are few, whatever addresses they go to', async () => {
    await mail.restart();
    const person = await mail.signUp();
    for (let times = 0; times < limits.mail.account.quota + 3; times++)
      await mail.askChange(person, `a${times}.${person.address}`);
    await mail.settle();
    expect(mail.smtp.received).toHaveLength(limits.mail.account.quota);
    mail.smtp.received.length = 0;
  });

  it('count as those of who asks, also if the address is another’s', async () => {
    const owner = await mail.verified();
    const asked = async (addressOf: (n: number, own: string) => string) => {
      await withFreshBudgets();
      const asker = await mail.signUp();
      await mail.settle();
      for (let n = 1; n <= limits.mail.account.quota; n++) {
        await mail.askChange(asker, addressOf(n, asker.address));
        await mail.settle();
      }
      return mail.smtp.received.splice(0).map(({ source }) => /^Subject: (.*@)/m.exec(source)?.[1]);
    };
    const confirm = 'Plaza: is this the address of @';
    const taken = 'Plaza: this address is already that of @';
    const last = limits.mail.account.quota;
    expect(await asked((n, own) => (n === last ? `last.${own}` : owner.address))).toEqual([
      confirm,
      ...Array.from({ length: last - 1 }, () => taken),
    ]);
    expect(await asked((n, own) => `a${n}.${own}`)).toEqual(Array.from({ length: last }, () => confirm));
    await withFreshBudgets();
    const free = Array.from({ length: last + 1 }, (_, n) => n);
    for (const n of free)
      await mail.askChange(await mail.signUp(), n === last ? owner.address : `x${n}.${owner.address}`);
    await mail.askChange(owner, `own.${owner.address}`);
    expect(await mail.recipients(`own.${owner.address}`)).toEqual([`own.${owner.address}`]);
    mail.smtp.received.length = 0;
  });

  it('of a sign-up count for the network address, untold, and those of passkeys for the account', async () => {
    await withFreshBudgets();
    for (let n = 0; n < limits.mail.address.quota; n++) await mail.askRecovery('nobody@example.org');
    const person = await mail.signUp();
    expect(noticeIn(person.page)).toContain('A mail asks you to confirm your address');
    expect(await mail.recipients(person.handle)).toEqual([]);
    const { authenticator } = await addPasskey(person);
    for (let n = 1; n < limits.mail.address.quota; n++) await changeByPassword(person, 'require');
    expect((await changeByPassword(person, 'require')).status).toBe(429);
    expect(noticeIn(await changeByPassword(person, 'lift'))).toBe('The second step is off.');
    const removed = await changeByPassword(person, `remove&passkey=${authenticator.credentialId}`);
    expect(noticeIn(removed)).toContain('The passkey is removed');
  });

  it('with a link to set a password are few, and the page says the same', async () => {
    await withFreshBudgets();
    const person = await mail.verified();
    const pages = new Set<string>();
    for (let times = 0; times <= limits.mail.recovery.quota; times++)
      pages.add((await mail.askRecovery(person.address.toUpperCase())).text);
    expect(pages.size).toBe(1);
    expect(await mail.recipients(person.address)).toHaveLength(limits.mail.recovery.quota);
    const links = mail.smtp.received.splice(0).map(linkIn);
    // Until none of these works any more, since time or the person ended them.
    expect((await new Visitor(mail.network.baseUrl).open(links.at(-1) ?? '')).text).toContain(person.handle);
    await passMinutes(RECOVERY_LINK_MINUTES);
    await mail.recover(await mail.recoveryLink(person.address), 'another horse battery');
    await mail.smtp.take(person.address);
    expect(
      linkIn(await mail.askRecovery(person.address).then(() => mail.smtp.take(person.address))),
    ).toContain('token=');
  });

  it('that somebody else asks for keep no person from a new password', async () => {
    await withFreshBudgets();
    const [person, other] = [await mail.verified(), await mail.signUp()];
    await mail.smtp.take(other.address);
    for (let times = 0; times < limits.mail.mailbox.quota; times++) await mail.signUp(person.address);
    await mail.askChange(other, person.address);
    await mail.settle();
    mail.smtp.received.length = 0;
    expect(await mail.recoveryLink(person.address)).toContain('token=');
  });

  it('of a network that sends none are not promised: its pages say whom to ask', async () => {
    const someone = await mail.accounts.newPerson();
    const origin = await mail.restartWithoutMail({ OPERATOR_CONTACT: 'https://plaza.example/desk?a=1&b' });
    const visitor = new Visitor(origin);
    const { text } = await visitor.open(`${origin}/api/auth/account/recovery`);
    expect(text).toContain('https://plaza.example/desk?a=1&amp;b');
    expect(text).not.toContain('name="email"');
    const page = await visitor.submit(await visitor.open(`${origin}/api/auth/account`), {
      handle: someone.handle,
      password,
    });
    expect(page.text).not.toContain('Send me a link');
    expect(page.text).toContain('This network sends no mail, so no address can be confirmed.');
    expect((await visitor.open(`${origin}/api/auth/account/address`)).text).toContain(
      'https://plaza.example/desk',
    );
    await mail.restart();
  });
});
