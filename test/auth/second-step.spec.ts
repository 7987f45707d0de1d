import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { streams } from '../../src/log/streams.js';
import { alertIn, isSignInPage, noticeIn } from './support/account.js';
import { password } from './support/auth-network.js';
import { authorizationRequest, isLive } from './support/flow.js';
import { linkIn, MailFixture } from './support/mail.js';
import type { PersonWithAddress } from './support/mail.js';
import { addPasskey, answerWith, changeByPassword, requireSecondStep } from './support/passkeys.js';
import type { PersonWithPasskey } from './support/passkeys.js';
import { Visitor } from './support/visitor.js';
import type { PageAnswer } from './support/visitor.js';

const NEXT = 'another horse battery';
const WRONG_CODE = 'That is none of your recovery codes, or it was used.';

let mail: MailFixture;

beforeAll(async () => {
  mail = await MailFixture.start();
  await mail.restart({ RATE_LIMITS: 'off' });
});

afterAll(() => mail.stop());

type Strict = PersonWithPasskey & PersonWithAddress & { readonly codes: readonly string[] };

/** A person whose second step is on, who was told of it. */
async function strict(): Promise<Strict> {
  const person = await mail.verified();
  const { authenticator } = await addPasskey(person);
  const codes = await requireSecondStep(person);
  await mail.settle();
  mail.smtp.received.length = 0;
  return { ...person, authenticator, codes };
}

const isSecondStep = ({ text }: PageAnswer): boolean => text.includes('Second step for @');
const isIn = (visitor: Visitor): Promise<boolean> => mail.accounts.isSignedIn(visitor);
const typesOf = async ({ actorId }: Strict) =>
  (await mail.network.log().read(streams.factors(actorId))).map(({ event }) => event.type);

describe('with a second step, the password', () => {
  it('signs nobody in before a passkey', async () => {
    const person = await strict();
    const [visitor, asked] = await mail.accounts.signInAs(person.handle);
    expect([isSecondStep(asked), await isIn(visitor)]).toEqual([true, false]);
    for (const path of ['passkeys', 'address', 'history', 'appeal'])
      expect(isSignInPage(await visitor.open(`${mail.accounts.address}/${path}`))).toBe(true);
    const done = await answerWith(person.authenticator, visitor, asked);
    expect([done.url, await isIn(visitor)]).toEqual([mail.accounts.address, true]);
    const again = new Visitor(mail.network.baseUrl);
    again.takeCookiesOf(visitor);
    expect(isSecondStep(await again.open(`${mail.accounts.address}/second-step`))).toBe(false);
  });

  it('signs nobody in before a recovery code, which works once, and its person is told', async () => {
    const person = await strict();
    expect(new Set(person.codes).size).toBe(10);
    const [code = ''] = person.codes;
    const [visitor, asked] = await mail.accounts.signInAs(person.handle);
    const wrong = await visitor.submit(asked, { code: 'aaaa-aaaa-aaaa-aaaa' });
    expect([wrong.status, alertIn(wrong), await isIn(visitor)]).toEqual([400, WRONG_CODE, false]);
    await visitor.submit(wrong, { code: code.toUpperCase().replaceAll('-', ' ') });
    expect(await isIn(visitor)).toBe(true);
    const told = await mail.smtp.take(person.address);
    expect(told.source).toContain(`Subject: Plaza: @${person.handle} was opened by a recovery code`);
    expect((await visitor.open(`${mail.accounts.address}/passkeys`)).text).toContain('codes: 9.');
    const [other, second] = await mail.accounts.signInAs(person.handle);
    expect([alertIn(await other.submit(second, { code })), await isIn(other)]).toEqual([WRONG_CODE, false]);
    expect(await typesOf(person)).toEqual([
      'account.passkey_added',
      'account.second_step_required',
      'account.recovery_code_used',
    ]);
  });

  it('wins once by one code, used at the same time in two browsers', async () => {
    const { handle, codes } = await strict();
    const [code = ''] = codes;
    const pages = [await mail.accounts.signInAs(handle), await mail.accounts.signInAs(handle)];
    await Promise.all(pages.map(([visitor, page]) => visitor.submit(page, { code })));
    const signedIn = [await isIn(pages[0]![0]), await isIn(pages[1]![0])];
    expect(signedIn.filter(Boolean)).toHaveLength(1);
    await mail.settle();
    mail.smtp.received.length = 0;
  });

  it('signs nobody in by the passkey of somebody else, or in a browser without the password', async () => {
    const [person, other] = [await strict(), await strict()];
    const [visitor, asked] = await mail.accounts.signInAs(person.handle);
    const wrong = await answerWith(other.authenticator, visitor, asked);
    expect([alertIn(wrong), await isIn(visitor)]).toEqual(['That is none of your passkeys.', false]);
    const stranger = new Visitor(mail.network.baseUrl);
    expect(isSignInPage(await stranger.submit(asked, { code: person.codes[0] ?? '' }))).toBe(true);
    const [theirs] = await mail.accounts.signInAs(other.handle);
    expect((await theirs.submit(asked, { code: other.codes[0] ?? '' })).status).toBe(403);
  });

  it('signs in for an application once the second step is done', async () => {
    const { handle, authenticator, codes } = await strict();
    const { url } = await authorizationRequest(mail.accounts.client, 'read');
    for (const isByPasskey of [true, false]) {
      const visitor = new Visitor(mail.network.baseUrl);
      const asked = await visitor.submit(await visitor.open(url), { handle, password });
      expect(isSecondStep(asked)).toBe(true);
      const consent = isByPasskey
        ? await answerWith(authenticator, visitor, asked)
        : await visitor.submit(asked, { code: codes[0] ?? '' });
      const done = await visitor.submit(consent, { decision: 'allow' });
      expect(new URL(done.url).searchParams.get('code')).toBeTruthy();
    }
    await mail.settle();
    mail.smtp.received.length = 0;
  });

  it('leads a suspended person to the page of appeals after it', async () => {
    const { handle, actorId, codes } = await strict();
    await mail.accounts.suspend(handle, actorId);
    const [visitor, asked] = await mail.accounts.signInAs(handle);
    const done = await visitor.submit(asked, { code: codes[0] ?? '' });
    expect([done.url, await isIn(visitor)]).toEqual([`${mail.accounts.address}/appeal`, false]);
    await mail.settle();
    mail.smtp.received.length = 0;
  });
});

it('a passkey alone signs in, also with a second step', async () => {
  const { authenticator } = await strict();
  const visitor = new Visitor(mail.network.baseUrl);
  await answerWith(authenticator, visitor, await visitor.open(mail.accounts.address));
  expect(await isIn(visitor)).toBe(true);
});

it('the form of the sign-up, sent again, does not go round it', async () => {
  const handle = `up_${randomUUID().slice(0, 8)}`;
  const visitor = new Visitor(mail.network.baseUrl);
  const form = await visitor.open(`${mail.accounts.address}/sign-up`);
  const typed = { handle, displayName: 'N', email: `${handle}@example.org`, password };
  const page = await visitor.submit(form, typed);
  const person = { handle, actorId: '', visitor, page };
  await addPasskey(person);
  await requireSecondStep(person);
  await visitor.submitTo(await visitor.open(mail.accounts.address), '/sign-out');
  expect((await visitor.submit(form, typed)).status).toBe(400);
  expect(await isIn(visitor)).toBe(false);
  await mail.settle();
  mail.smtp.received.length = 0;
});

describe('the link of a mail', () => {
  it('sets a password, then asks for the second step, and shows all passkeys', async () => {
    const person = await strict();
    // Turned on long ago, or by the release before.
    await mail.query(`UPDATE authority.credential SET factors = factors - 'requiredAt' WHERE actor_id = $1`, [
      person.actorId,
    ]);
    const token = await mail.accounts.connect(person.visitor);
    const link = await mail.recoveryLink(person.address);
    const { visitor, form, done } = await mail.recover(link, NEXT, { disconnect: 'all' });
    expect(form.text).toContain('Then you show a passkey or type a recovery code');
    expect(await isLive(mail.accounts.client, token)).toBe(true);
    // A page of the sign-in would use up the notice.
    const { headers } = await visitor.request(`${mail.accounts.address}/passkeys`);
    expect([isSecondStep(done), headers.get('location')]).toEqual([true, '/api/auth/account']);
    const wrong = await visitor.submit(done, { code: 'wrong' });
    const list = await visitor.submit(wrong, { code: person.codes[0] ?? '' });
    expect(list.url).toBe(`${mail.accounts.address}/passkeys`);
    expect(list.text).toMatch(/phone.*Remove/s);
    expect(noticeIn(list)).toContain('Your new password is set');
    expect(await isLive(mail.accounts.client, token)).toBe(false);
    expect(await isIn(visitor)).toBe(true);
    await mail.settle();
    mail.smtp.received.length = 0;
  });

  it('asks for none of the last seven days, which who knew the password turned on', async () => {
    const person = await mail.verified();
    const [visitor, page] = await mail.accounts.signInAs(person.handle);
    const thief = { ...person, visitor, page };
    await addPasskey(thief, 'thief');
    await requireSecondStep(thief);
    await mail.settle();
    mail.smtp.received.length = 0;
    const { visitor: owner, done } = await mail.recover(await mail.recoveryLink(person.address), NEXT);
    expect(done.url).toBe(`${mail.accounts.address}/passkeys`);
    expect([await isIn(owner), await isIn(visitor)]).toEqual([true, false]);
    const again = { ...person, visitor: owner };
    expect(noticeIn(await changeByPassword(again, 'lift', NEXT))).toBe('The second step is off.');
    const [, id = ''] = done.text.match(/passkey=([^"]*)"/) ?? [];
    expect(noticeIn(await changeByPassword(again, `remove&passkey=${id}`, NEXT))).toContain('is removed');
    await mail.settle();
    mail.smtp.received.length = 0;
  });

  it('drops no passkey without a second step either, and shows them', async () => {
    const person = await mail.verified();
    const { authenticator } = await addPasskey(person);
    await mail.smtp.take(person.address);
    const { done } = await mail.recover(await mail.recoveryLink(person.address), NEXT);
    expect([done.url, noticeIn(done)]).toEqual([
      `${mail.accounts.address}/passkeys`,
      expect.stringContaining('Your new password is set'),
    ]);
    expect(done.text).toMatch(/phone.*Remove/s);
    const visitor = new Visitor(mail.network.baseUrl);
    await answerWith(authenticator, visitor, await visitor.open(mail.accounts.address));
    expect(await isIn(visitor)).toBe(true);
    await mail.settle();
    mail.smtp.received.length = 0;
  });
});

describe('the second step', () => {
  it('is kept as digests of its codes alone, and no event or mail has one', async () => {
    const person = await mail.verified();
    await addPasskey(person);
    await mail.smtp.take(person.address);
    const codes = await requireSecondStep(person);
    const told = await mail.smtp.take(person.address);
    expect(told.source).toContain(`Subject: Plaza: @${person.handle} asks for a second step`);
    expect(told.text).toContain('open “Forgot your password?” at the sign-in');
    const rows = await mail.query('SELECT factors FROM authority.credential WHERE actor_id = $1', [
      person.actorId,
    ]);
    const events = await mail.network.log().read(streams.factors(person.actorId));
    const kept = JSON.stringify([rows, events, told], (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    for (const code of codes)
      for (const text of [code, code.replaceAll('-', '')]) expect(kept).not.toContain(text);
    expect((await person.visitor.open(`${mail.accounts.address}/passkeys`)).text).not.toContain(codes[0]);
  });

  it('signs out every other browser, and shows codes once if its form is sent twice', async () => {
    const person = await mail.verified();
    await addPasskey(person);
    const [other] = await mail.accounts.signInAs(person.handle);
    const form = await person.visitor.open(`${mail.accounts.address}/passkeys/change?act=require`);
    const send = () => person.visitor.submitTo(form, '/passkeys/change', { confirm: password });
    const answers = await Promise.all([send(), send()]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403]);
    expect([await isIn(person.visitor), await isIn(other)]).toEqual([true, false]);
    const shown = answers.find(({ status }) => status === 200)?.text.match(/<code>([^<]*)/)?.[1] ?? '';
    const [visitor, asked] = await mail.accounts.signInAs(person.handle);
    await visitor.submit(asked, { code: shown });
    expect(await isIn(visitor)).toBe(true);
    await mail.settle();
    mail.smtp.received.length = 0;
  });

  it('ends earlier codes with new ones', async () => {
    const person = await strict();
    const fresh = await requireSecondStep(person);
    const [visitor, asked] = await mail.accounts.signInAs(person.handle);
    const old = await visitor.submit(asked, { code: person.codes[0] ?? '' });
    expect(alertIn(old)).toBe(WRONG_CODE);
    await visitor.submit(old, { code: fresh[0] ?? '' });
    expect(await isIn(visitor)).toBe(true);
    await mail.settle();
    mail.smtp.received.length = 0;
  });

  it('is turned off by its person, who is told, and then the password opens the account', async () => {
    const person = await strict();
    const what = `remove&passkey=${person.authenticator.credentialId}`;
    expect(alertIn(await changeByPassword(person, what))).toContain('turn the second step off first');
    expect(noticeIn(await changeByPassword(person, 'lift'))).toBe('The second step is off.');
    const told = await mail.smtp.take(person.address);
    expect(told.source).toContain(`Subject: Plaza: @${person.handle} asks for no second step`);
    const [visitor] = await mail.accounts.signInAs(person.handle);
    expect(await isIn(visitor)).toBe(true);
  });

  it('needs a passkey', async () => {
    const person = await mail.verified();
    expect(alertIn(await changeByPassword(person, 'require'))).toContain('needs a passkey: add one first');
  });

  it('is told to an address given up in the last seven days, too, however much followed', async () => {
    const person = await mail.verified();
    const changed = `new.${person.address}`;
    await mail.askChange(person, changed);
    await mail.confirm(person.visitor, linkIn(await mail.smtp.take(changed)));
    await mail.smtp.take(person.address);
    const { actorId } = person;
    const stream = streams.access(actorId);
    const data = { actorId, at: Date.now() };
    const followed = () => ({ id: randomUUID(), event: { type: 'account.recovered', data } as const });
    const newest = (await mail.network.log().read(stream)).at(-1)?.revision ?? 0n;
    const append = { stream, expected: newest, metadata: { requestId: person.handle, actorId } };
    await mail.network.log().append({ ...append, events: Array.from({ length: 205 }, followed) });
    await addPasskey(person);
    expect((await mail.recipients(person.address)).toSorted()).toEqual([person.address, changed].toSorted());
    mail.smtp.received.length = 0;
  });
});

// Last, since the OAuth library has the clock of the machine.
it('the password is asked again after ten minutes, and after a change of it', async () => {
  const person = await strict();
  const [late, first] = await mail.accounts.signInAs(person.handle);
  const [visitor, second] = await mail.accounts.signInAs(person.handle);
  const page = await person.visitor.open(mail.accounts.address);
  await person.visitor.submit(page, { current: password, new: NEXT });
  expect(isSignInPage(await visitor.submit(second, { code: person.codes[0] ?? '' }))).toBe(true);
  mail.network.advanceClock(10 * 60_000);
  expect(isSignInPage(await late.submit(first, { code: person.codes[1] ?? '' }))).toBe(true);
});
