import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { projectInline } from '../../projections/authority/authority.projection.js';
import { Passwords } from '../../src/doors/auth/passwords.js';
import { RecoverAccount } from '../../src/commands/account/recover-account.js';
import { noFactors } from '../../src/domain/account/factors.js';
import { EraseAccount } from '../../src/commands/account/erase-account.js';
import { limits } from '../../src/base/config/limit-settings.js';
import { streams } from '../../src/log/streams.js';
import { alertIn, isSignInPage, noticeIn } from './support/account.js';
import { password } from './support/auth-network.js';
import { isLive } from './support/flow.js';
import { linkIn, MailFixture } from './support/mail.js';
import type { PersonWithAddress } from './support/mail.js';
import type { PageAnswer } from './support/visitor.js';
import { Visitor } from './support/visitor.js';

const NEXT = 'another horse battery';

let mail: MailFixture;

beforeAll(async () => {
  mail = await MailFixture.start();
  await mail.restart({ RATE_LIMITS: 'off' });
});

afterAll(() => mail.stop());

const opens = async (handle: string, typed: string): Promise<boolean> => {
  const [visitor] = await mail.accounts.signInAs(handle, typed);
  return mail.accounts.isSignedIn(visitor);
};

const endedOf = ({ text }: PageAnswer) => text.includes('This link has ended');

/** A used or ended link: its page has no form, and the password stays. */
async function hasEnded(link: string, { handle }: PersonWithAddress, current = password): Promise<boolean> {
  const { done } = await mail.recover(link, NEXT);
  return done.status === 400 && endedOf(done) && opens(handle, current);
}

describe('a link of a mail', () => {
  it('sets a new password, signs in here, and signs out everywhere else', async () => {
    const person = await mail.verified();
    const token = await mail.accounts.connect(person.visitor);
    const link = await mail.recoveryLink(person.address);
    const { visitor, form, done } = await mail.recover(link, NEXT);
    expect(form.url).not.toContain('token');
    expect(form.text).toContain(`@${person.handle}`);
    expect([done.url, noticeIn(done)]).toEqual([
      mail.accounts.address,
      expect.stringContaining('Your new password is set'),
    ]);
    expect(await mail.accounts.isSignedIn(visitor)).toBe(true);
    expect(await mail.accounts.isSignedIn(person.visitor)).toBe(false);
    expect([await opens(person.handle, password), await opens(person.handle, NEXT)]).toEqual([false, true]);
    expect(await isLive(mail.accounts.client, token)).toBe(true);
    const events = await mail.network.log().read(streams.access(person.actorId));
    expect(events.map(({ event, metadata }) => [event.type, metadata.actorId])).toEqual([
      ['account.address_verified', person.actorId],
      ['account.recovered', person.actorId],
    ]);
    const told = await mail.smtp.take(person.address);
    expect(told.source).toContain(`Subject: Plaza: @${person.handle} has a new password`);
    expect(told.text).not.toMatch(/https?:/);
  });

  it('disconnects applications if the person asks for it', async () => {
    const person = await mail.verified();
    const token = await mail.accounts.connect(person.visitor);
    await mail.recover(await mail.recoveryLink(person.address), NEXT, { disconnect: 'all' });
    expect(await isLive(mail.accounts.client, token)).toBe(false);
  });

  it('sets the password also if an application cannot be disconnected, and reports that', async () => {
    const person = await mail.verified();
    const token = await mail.accounts.connect(person.visitor);
    await mail.query(
      `INSERT INTO authority.app_grant SELECT (jsonb_populate_record(app_grant, jsonb_build_object('grant_id', $2::text))).*
       FROM authority.app_grant WHERE actor_id = $1`,
      [person.actorId, `lost_${person.handle}`],
    );
    const link = await mail.recoveryLink(person.address);
    const { visitor, done } = await mail.recover(link, NEXT, { disconnect: 'all' });
    expect([done.status, noticeIn(done)]).toEqual([
      200,
      expect.stringContaining('Not every application could be disconnected'),
    ]);
    expect(await mail.accounts.isSignedIn(visitor)).toBe(true);
    expect(await isLive(mail.accounts.client, token)).toBe(false);
    await mail.smtp.take(person.address);
  });

  it('makes the browser a known one, so it ends a lock-out', async () => {
    await mail.restart();
    const person = await mail.verified();
    for (let tries = 0; tries <= limits.signIn.account.quota; tries++)
      await mail.accounts.signInAs(person.handle, 'a wrong password');
    expect((await mail.accounts.signInAs(person.handle))[1].status).toBe(429);
    const { visitor } = await mail.recover(await mail.recoveryLink(person.address), NEXT);
    await visitor.submitTo(await visitor.open(mail.accounts.address), '/sign-out');
    const again = await visitor.submit(await visitor.open(mail.accounts.address), {
      handle: person.handle,
      password: NEXT,
    });
    expect(isSignInPage(again)).toBe(false);
    await mail.restart({ RATE_LIMITS: 'off' });
  });

  it('changes nothing by being opened, whoever opens it a hundred times', async () => {
    const person = await mail.verified();
    const link = await mail.recoveryLink(person.address);
    const before = await mail.everything();
    for (let times = 0; times < 100; times++) await new Visitor(mail.network.baseUrl).open(link);
    expect(await mail.everything()).toEqual(before);
    expect(await mail.accounts.isSignedIn(person.visitor)).toBe(true);
    expect((await mail.recover(link, NEXT)).done.url).toBe(mail.accounts.address);
  });

  it('is kept as a hash alone, and no event has it', async () => {
    const person = await mail.verified();
    const link = await mail.recoveryLink(person.address);
    const token = new URL(link).searchParams.get('token') ?? '';
    expect(Buffer.from(token, 'base64url')).toHaveLength(16);
    const rows = async (table: string) =>
      JSON.stringify(await mail.query(`SELECT to_jsonb(each) AS row FROM ${table} AS each`));
    for (const table of ['recovery_link', 'mail_request', 'oidc_record', 'known_browser'])
      expect(await rows(`authority.${table}`)).not.toContain(token);
    await mail.recover(link, NEXT);
    const events = await mail.network.log().read(streams.access(person.actorId));
    expect(JSON.stringify(events, (_, value: unknown) => String(value))).not.toContain(token);
    expect(mail.lines.join('')).not.toContain(token);
  });

  it('refuses a bad password and a common one, and is not used up by them', async () => {
    const person = await mail.verified();
    const link = await mail.recoveryLink(person.address);
    for (const bad of ['short', person.handle, 'password1']) {
      const { done } = await mail.recover(link, bad);
      expect([done.status, alertIn(done)]).toEqual([400, expect.stringMatching(/password/i)]);
    }
    expect((await mail.recover(link, NEXT)).done.url).toBe(mail.accounts.address);
  });

  it('leads a suspended person to the page of appeals, and nowhere else', async () => {
    const person = await mail.verified();
    await mail.accounts.suspend(person.handle, person.actorId);
    const { visitor, form, done } = await mail.recover(await mail.recoveryLink(person.address), NEXT);
    expect(form.text).toContain('opens the page of your suspended account');
    expect(done.url).toBe(`${mail.accounts.address}/appeal`);
    expect(noticeIn(done)).toContain('Your new password is set');
    expect(await mail.accounts.isSignedIn(visitor)).toBe(false);
  });

  it('wins once, used at the same time in two browsers', async () => {
    const person = await mail.verified();
    const link = await mail.recoveryLink(person.address);
    const [one, two] = [new Visitor(mail.network.baseUrl), new Visitor(mail.network.baseUrl)];
    const [first, second] = [await one.open(link), await two.open(link)];
    const other = 'the other battery';
    const answers = await Promise.all([one.submit(first, { new: NEXT }), two.submit(second, { new: other })]);
    expect(answers.map((answer) => [answer.url === mail.accounts.address, endedOf(answer)])).toEqual(
      expect.arrayContaining([
        [true, false],
        [false, true],
      ]),
    );
    const opened = [await opens(person.handle, NEXT), await opens(person.handle, other)];
    expect(opened.filter(Boolean)).toHaveLength(1);
    expect(await hasEnded(link, person, opened[0] ? NEXT : other)).toBe(true);
  });

  it('wins once, used at the same time at two processes', async () => {
    const another = await mail.network.startAnotherServer();
    try {
      const person = await mail.verified();
      const [one, two] = [await mail.recoveryLink(person.address), await mail.recoveryLink(person.address)];
      const tokens = [one, two].map((link) => new URL(link).searchParams.get('token') ?? '');
      const passwordHash = await mail.network.app().get(Passwords).hash(NEXT);
      const metadata = { requestId: person.handle };
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          (n % 2 ? another.app : mail.network.app())
            .get(CommandBus)
            .execute(new RecoverAccount(tokens[n % 4 < 2 ? 0 : 1] ?? '', passwordHash, metadata)),
        ),
      );
      expect(outcomes.filter(Boolean)).toEqual([
        { actorId: person.actorId, mayAct: true, factors: noFactors },
      ]);
    } finally {
      await another.close();
    }
  });
});

describe('a link ends', () => {
  it('after 30 minutes, and not by a new request', async () => {
    const person = await mail.verified();
    const [first, second] = [
      await mail.recoveryLink(person.address),
      await mail.recoveryLink(person.address),
    ];
    expect((await mail.recover(first, NEXT)).done.url).toBe(mail.accounts.address);
    expect(await hasEnded(second, person, NEXT)).toBe(true);
    await mail.smtp.take(person.address);
    const late = await mail.recoveryLink(person.address);
    mail.network.advanceClock(30 * 60_000);
    expect(await hasEnded(late, person, NEXT)).toBe(true);
  });

  it('by a change of the password', async () => {
    const person = await mail.verified();
    const link = await mail.recoveryLink(person.address);
    const page = await person.visitor.open(mail.accounts.address);
    await person.visitor.submit(page, { current: password, new: 'a changed battery' });
    expect(await hasEnded(link, person, 'a changed battery')).toBe(true);
  });

  it('by a change of the address, and the old address opens nothing', async () => {
    const person = await mail.verified();
    const link = await mail.recoveryLink(person.address);
    await mail.change(person, `new.${person.address}`);
    await mail.smtp.take(person.address);
    expect(await hasEnded(link, person)).toBe(true);
    await mail.askRecovery(person.address);
    expect(await mail.recipients(person.address)).toEqual([]);
    await mail.change(person, person.address);
    await mail.smtp.take(`new.${person.address}`);
    expect(await hasEnded(link, person)).toBe(true);
  });

  it('by an erasure', async () => {
    const person = await mail.verified();
    const link = await mail.recoveryLink(person.address);
    const metadata = { requestId: person.handle, operator: 'test', reason: 'a test' };
    await mail.network.app().get(CommandBus).execute(new EraseAccount(person.actorId, metadata));
    expect(endedOf((await mail.recover(link, NEXT)).done)).toBe(true);
    expect(
      await mail.query('SELECT FROM authority.recovery_link WHERE actor_id = $1', [person.actorId]),
    ).toEqual([]);
    await mail.askRecovery(person.address);
    expect(await mail.recipients(person.address)).toEqual([]);
  });
});

/** The rows that a rebuild by the release before leaves: it knows the stream of the account alone. */
async function rebuildWithoutChanges({ actorId }: PersonWithAddress): Promise<void> {
  const { dataSource } = mail.network.database();
  const past = await mail.network.log().read(streams.account(actorId));
  await dataSource.query('DELETE FROM authority.account WHERE actor_id = $1', [actorId]);
  await projectInline(past, dataSource);
}

describe('after a rebuild that brings an old address back', () => {
  it('neither the old address nor the new one opens the account, nor a link to either', async () => {
    const person = await mail.verified();
    const changed = `new.${person.address}`;
    await mail.change(person, changed);
    await mail.smtp.take(person.address);
    const link = await mail.recoveryLink(changed);
    await rebuildWithoutChanges(person);
    expect(await hasEnded(link, person)).toBe(true);
    for (const address of [person.address, changed]) await mail.askRecovery(address);
    expect(await mail.recipients(person.address)).toEqual([]);
    const page = await person.visitor.open(mail.accounts.address);
    expect(page.text).toContain('not confirmed');
    const changes = await mail.network.log().read(streams.access(person.actorId));
    await projectInline(changes, mail.network.database().dataSource);
    expect(linkIn(await mail.askRecovery(changed).then(() => mail.smtp.take(changed)))).toContain('token=');
  });
});

describe('who is told of a new password', () => {
  it('is every verified address, also one given up in the last seven days', async () => {
    const person = await mail.verified();
    const [second, third] = [`second.${person.address}`, `third.${person.address}`];
    await mail.change(person, second);
    await mail.smtp.take(person.address);
    mail.network.advanceClock(8 * 24 * 60 * 60_000);
    const [visitor] = await mail.accounts.signInAs(person.handle);
    await mail.change({ ...person, visitor }, third);
    await mail.smtp.take(second);
    await mail.recover(await mail.recoveryLink(third), NEXT);
    expect((await mail.recipients(person.address)).toSorted()).toEqual([second, third]);
  });
});
