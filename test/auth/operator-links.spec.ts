/** Links that operators make for people, by the operator API, mails and pages. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { Pool } from 'pg';
import { foundNetwork } from '../../projections/incarnations/network-identity.js';
import { AuthorityStore } from '../../src/base/store/authority/authority-store.js';
import { systemClock } from '../../src/base/support/clock.js';
import { Addresses } from '../../src/commands/account/addresses.js';
import { EraseAccount } from '../../src/commands/account/erase-account.js';
import { OperatorLinks } from '../../src/commands/account/operator-links.js';
import { RequestErasure } from '../../src/commands/account/accounts.js';
import { RecoverAccount } from '../../src/commands/account/recover-account.js';
import { NetworkCipher } from '../../src/commands/support/network-cipher.js';
import { Passwords } from '../../src/doors/auth/passwords.js';
import { freePort } from '../../src/launch/free-port.js';
import { streams } from '../../src/log/streams.js';
import { NetworkSecrets } from '../../src/log/vault/network-secrets.js';
import { isOutage } from '../../src/log/witness/outage.js';
import { startOperatorApi } from '../../src/operator/entrances/operator-server.js';
import { enrollOperator } from '../support/operators.js';
import { operatorClient } from '../support/operator-client.js';
import type { OperatorClient } from '../support/operator-client.js';
import { noticeIn } from './support/account.js';
import { password } from './support/auth-network.js';
import { authorizationRequest } from './support/flow.js';
import { linkIn, MailFixture } from './support/mail.js';
import { addPasskey, requireSecondStep } from './support/passkeys.js';
import { Visitor } from './support/visitor.js';
import type { PageAnswer } from './support/visitor.js';

const NEXT = 'another horse battery';
const HOUR_MS = 60 * 60_000;

let mail: MailFixture;
let operatorApi: { close(): Promise<void> };
let shared: OperatorClient;
let operatorId: string;
let administrator: OperatorClient;

beforeAll(async () => {
  mail = await MailFixture.start();
  await mail.restart({ RATE_LIMITS: 'off' });
  await foundNetwork(mail.network.log(), { uuid: randomUUID, networkId: () => 'n-1' }, Date.now);
  operatorApi = await startOperatorApi(mail.network.app());
  shared = operatorClient(mail.network.config);
  const enrolled = await enrollOperator(shared, ['administrator']);
  ({ operatorId } = enrolled);
  administrator = as(enrolled.token);
});

afterAll(async () => {
  await operatorApi?.close();
  await mail?.stop();
});

const as = (operatorToken: string) =>
  operatorClient(Object.assign({}, mail.network.config, { operatorToken }));
const make = (id: string) => administrator.post('accounts/:id/recovery-link', { id, reason: 'by letter 4' });
const end = (id: string) => administrator.post('accounts/:id/end-recovery-link', { id, reason: 'a fraud' });

const ended = ({ text }: PageAnswer) => text.includes('This link has ended');
const opens = async (handle: string, typed: string) =>
  mail.accounts.isSignedIn((await mail.accounts.signInAs(handle, typed))[0]);

/** A signed-in person whose address nobody confirmed. */
const unverified = () => mail.accounts.newPerson();

async function eventsOf(actorId: string) {
  const recorded = await mail.network.log().read(streams.recoveryLinks(actorId));
  return recorded.map(({ event, metadata }) => [event.type.replace('account.recovery_link_', ''), metadata]);
}

/** Before the cases that leave a mail to be sent again half a minute later. */
it('is what operators are told to make instead of an export, but for who lost a second step', async () => {
  const [other, locked] = [await mail.verified(), await addPasskey(await mail.verified())];
  await requireSecondStep(locked);
  await mail.settle();
  mail.network.advanceClock(31 * 24 * HOUR_MS);
  const ask = (id: string) => shared.post('accounts/:id/exports', { id, reason: 'letter 5' });
  await expect(ask(other.actorId)).rejects.toThrow('(intent_conflict)');
  // This process has no audit, which the export itself waits for.
  await expect(ask(locked.actorId)).rejects.toThrow('(protected_read_unavailable)');
});

describe('a link of operators', () => {
  it('works a day later, once, and ends all sessions; its person is told at once and after it', async () => {
    const person = await mail.verified();
    const { link, linkId, worksFrom, worksUntil, told } = await make(person.actorId);
    expect([worksUntil - worksFrom, told]).toEqual([24 * HOUR_MS, 1]);
    const announced = await mail.smtp.take(person.address);
    expect(announced.source).toContain(`Subject: Plaza: the operators made a link for @${person.handle}`);
    expect(announced.text).toContain(new Date(worksFrom).toISOString().slice(0, 16).replace('T', ', '));
    const page = await person.visitor.open(mail.accounts.address);
    expect(page.text).toContain('The operators made a link into your account');

    const early = await mail.recover(link, NEXT);
    expect([early.done.status, early.done.text]).toEqual([400, expect.stringContaining('not work yet')]);
    expect(await opens(person.handle, password)).toBe(true);

    mail.network.advanceClock(24 * HOUR_MS);
    const { visitor, done } = await mail.recover(link, NEXT);
    expect([done.url, noticeIn(done)]).toEqual([
      mail.accounts.address,
      expect.stringContaining('Your new password is set'),
    ]);
    expect(await mail.accounts.isSignedIn(person.visitor)).toBe(false);
    expect((await visitor.open(mail.accounts.address)).text).toMatch(/set a new password\s*<\/li>/);
    expect(await opens(person.handle, password)).toBe(false);
    expect(ended((await mail.recover(link, 'a third battery')).done)).toBe(true);
    expect((await mail.smtp.take(person.address)).text).toContain('by a link of the operators');
    expect(await eventsOf(person.actorId)).toMatchObject([
      ['made', { operatorId, reason: 'by letter 4' }],
      ['used', { actorId: person.actorId }],
    ]);
    const token = new URL(link).searchParams.get('token') ?? '';
    const all = await mail.network.log().read(streams.recoveryLinks(person.actorId));
    const stored = JSON.stringify(
      [all, await mail.query('SELECT * FROM authority.recovery_link')],
      (_, value) => (typeof value === 'bigint' ? String(value) : (value as unknown)),
    );
    expect(stored).toContain(linkId);
    expect(stored).not.toContain(token);
    expect(mail.lines.join('')).not.toContain(token);
    // "For good": a month later it is still there.
    mail.network.advanceClock(31 * 24 * HOUR_MS);
    const [later] = await mail.accounts.signInAs(person.handle, NEXT);
    expect((await later.open(mail.accounts.address)).text).toContain('Links of the operators');
  });

  it('opens an account without a confirmed address, whose page alone says so', async () => {
    const person = await unverified();
    const { link, told } = await make(person.actorId);
    expect(told).toBe(0);
    expect(await mail.recipients(person.handle)).toEqual([]);
    mail.network.advanceClock(25 * HOUR_MS);
    expect((await mail.recover(link, NEXT)).done.url).toBe(mail.accounts.address);
    expect(await mail.recipients(person.handle)).toEqual([]);
  });

  it('works no more a day after it began to', async () => {
    const person = await unverified();
    const { link } = await make(person.actorId);
    mail.network.advanceClock(48 * HOUR_MS);
    expect(ended((await mail.recover(link, NEXT)).done)).toBe(true);
    const [visitor] = await mail.accounts.signInAs(person.handle);
    expect((await visitor.open(mail.accounts.address)).text).toContain('never used, and works no more');
  });

  it('wins once, used at the same time in two browsers', async () => {
    const person = await unverified();
    const { link } = await make(person.actorId);
    mail.network.advanceClock(25 * HOUR_MS);
    const [one, two] = [new Visitor(mail.network.baseUrl), new Visitor(mail.network.baseUrl)];
    const [first, second] = [await one.open(link), await two.open(link)];
    const answers = await Promise.all([
      one.submit(first, { new: NEXT }),
      two.submit(second, { new: 'the other battery' }),
    ]);
    expect(answers.filter(ended)).toHaveLength(1);
    expect((await eventsOf(person.actorId)).map(([type]) => type)).toEqual(['made', 'used']);
  });

  it('leads a suspended person to the page of appeals, which said so before', async () => {
    const person = await unverified();
    await mail.accounts.suspend(person.handle, person.actorId);
    const { link } = await make(person.actorId);
    const [, appeals] = await mail.accounts.signInAs(person.handle);
    expect(appeals.text).toContain('The operators made a link into your account');
    mail.network.advanceClock(25 * HOUR_MS);
    const { done } = await mail.recover(link, NEXT);
    expect(done.url).toBe(`${mail.accounts.address}/appeal`);
  });

  it('outlives a change of the address, which who took the account over could make', async () => {
    const person = await mail.verified();
    const { link } = await make(person.actorId);
    await mail.smtp.take(person.address);
    await mail.change(person, `thief.${person.address}`);
    await mail.smtp.take(person.address);
    mail.network.advanceClock(25 * HOUR_MS);
    expect((await mail.recover(link, NEXT)).done.url).toBe(mail.accounts.address);
    await mail.settle();
    mail.smtp.received.length = 0;
  });

  it('leaves a planned erasure planned', async () => {
    const person = await unverified();
    const metadata = { requestId: person.handle, operator: 'test', reason: 'a test' };
    const commands = mail.network.app().get(CommandBus);
    await commands.execute(new RequestErasure(person.actorId, 72 * HOUR_MS, metadata));
    const { link } = await make(person.actorId);
    mail.network.advanceClock(25 * HOUR_MS);
    const { done } = await mail.recover(link, NEXT);
    expect(done.text).toContain('Your account will be deleted');
  });
});

describe('a link of operators is ended', () => {
  async function pending() {
    const person = await mail.verified();
    const { link } = await make(person.actorId);
    const announced = linkIn(await mail.smtp.take(person.address));
    return { person, link, announced };
  }

  /** Also once it would work. */
  async function hasEnded(link: string, handle: string, current = password): Promise<boolean> {
    mail.network.advanceClock(25 * HOUR_MS);
    return ended((await mail.recover(link, NEXT)).done) && opens(handle, current);
  }

  it('by its mail, without a password, and not by opening that', async () => {
    const { person, link, announced } = await pending();
    for (let times = 0; times < 100; times++) await new Visitor(mail.network.baseUrl).open(announced);
    expect((await eventsOf(person.actorId)).length).toBe(1);
    const stranger = new Visitor(mail.network.baseUrl);
    const done = await stranger.submitTo(await stranger.open(announced), '/recovery/end');
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('The link is ended')]);
    expect((await stranger.open(announced)).text).toContain('No such link is open');
    expect(await eventsOf(person.actorId)).toMatchObject([
      ['made', {}],
      ['ended', { actorId: person.actorId }],
    ]);
    expect(await hasEnded(link, person.handle)).toBe(true);
  });

  it('at the account page, and another can be made then', async () => {
    const { person, link } = await pending();
    await expect(make(person.actorId)).rejects.toThrow('(intent_conflict)');
    const page = await person.visitor.open(mail.accounts.address);
    const done = await person.visitor.submitTo(page, '/account/recovery-link');
    expect(noticeIn(done)).toContain('The link of the operators is ended');
    expect(done.text).toContain('ended before its use');
    const { link: another } = await make(person.actorId);
    const late = await person.visitor.submitTo(page, '/account/recovery-link');
    expect(noticeIn(late)).toContain('That link had ended before');
    expect(late.text).toContain('End the link');
    expect(await hasEnded(link, person.handle)).toBe(true);
    expect((await mail.recover(another, NEXT)).done.url).toBe(mail.accounts.address);
  });

  it('at the page of appeals', async () => {
    const person = await unverified();
    await mail.accounts.suspend(person.handle, person.actorId);
    const { link } = await make(person.actorId);
    const [visitor, page] = await mail.accounts.signInAs(person.handle);
    const done = await visitor.submitTo(page, '/appeal/recovery-link');
    expect(noticeIn(done)).toContain('The link of the operators is ended');
    mail.network.advanceClock(25 * HOUR_MS);
    expect(ended((await mail.recover(link, NEXT)).done)).toBe(true);
  });

  it('by another operator, also one who may not make one', async () => {
    const { person, link } = await pending();
    const { token } = await enrollOperator(shared, ['moderator']);
    const moderator = as(token);
    const id = person.actorId;
    await expect(moderator.post('accounts/:id/recovery-link', { id, reason: 'x' })).rejects.toThrow(
      '(capability_required)',
    );
    const dossier = await moderator.get('accounts/:id', { id });
    expect(dossier.recoveryLink).toMatchObject({ worksFrom: expect.any(Number) });
    expect(await moderator.post('accounts/:id/end-recovery-link', { id, reason: 'x' })).toEqual({
      changed: true,
    });
    expect(await end(id)).toEqual({ changed: false });
    expect((await moderator.get('accounts/:id', { id })).recoveryLink).toBeNull();
    expect(await hasEnded(link, person.handle)).toBe(true);
  });

  it('by a change of the password', async () => {
    const { person, link } = await pending();
    const page = await person.visitor.open(mail.accounts.address);
    await person.visitor.submit(page, { current: password, new: 'a changed battery' });
    const changed = await person.visitor.open(mail.accounts.address);
    expect(changed.text).toContain('never used, and works no more');
    expect(await hasEnded(link, person.handle, 'a changed battery')).toBe(true);
  });

  it('by a change of the password, after which another can be made at once', async () => {
    const { person, link } = await pending();
    const page = await person.visitor.open(mail.accounts.address);
    await person.visitor.submit(page, { current: password, new: 'a changed battery' });
    const { link: another } = await make(person.actorId);
    await mail.smtp.take(person.address);
    const types = (await eventsOf(person.actorId)).map(([type]) => type);
    expect(types).toEqual(['made', 'ended', 'made']);
    expect(await hasEnded(link, person.handle, 'a changed battery')).toBe(true);
    expect((await mail.recover(another, NEXT)).done.url).toBe(mail.accounts.address);
  });

  it('by an erasure', async () => {
    const { person, link } = await pending();
    const metadata = { requestId: person.handle, operator: 'test', reason: 'a test' };
    await mail.network.app().get(CommandBus).execute(new EraseAccount(person.actorId, metadata));
    expect(
      await mail.query('SELECT FROM authority.recovery_link WHERE actor_id = $1', [person.actorId]),
    ).toEqual([]);
    mail.network.advanceClock(25 * HOUR_MS);
    expect(ended((await mail.recover(link, NEXT)).done)).toBe(true);
    await expect(make(person.actorId)).rejects.toThrow('(not_found)');
  });

  it('by an older log, and by rows that were brought back: both must have it', async () => {
    const { person, link } = await pending();
    const rows = await mail.query<object>(
      'SELECT to_jsonb(link) AS link FROM authority.recovery_link AS link WHERE actor_id = $1',
      [person.actorId],
    );
    await end(person.actorId);
    await mail.query(
      `INSERT INTO authority.recovery_link SELECT (jsonb_populate_record(NULL::authority.recovery_link, $1)).*`,
      [JSON.stringify((rows[0] as { link: object }).link)],
    );
    expect(await hasEnded(link, person.handle)).toBe(true);
    // A log that does not know the link: its row names another one.
    const other = await pending();
    await mail.query('UPDATE authority.recovery_link SET link_id = $2 WHERE actor_id = $1', [
      other.person.actorId,
      'unknown',
    ]);
    expect(await hasEnded(other.link, other.person.handle)).toBe(true);
  });

  it('in the command, too, before it works', async () => {
    const { person, link } = await pending();
    const token = new URL(link).searchParams.get('token') ?? '';
    const passwordHash = await mail.network.app().get(Passwords).hash(NEXT);
    const recover = new RecoverAccount(token, passwordHash, { requestId: person.handle });
    expect(await mail.network.app().get(CommandBus).execute(recover)).toBeUndefined();
    expect(await opens(person.handle, password)).toBe(true);
  });
});

it('is not called ended while the vault does not answer', async () => {
  const pool = new Pool({ host: '127.0.0.1', port: await freePort() });
  const app = mail.network.app();
  const links = new OperatorLinks(
    app.get(AuthorityStore),
    app.get(Addresses),
    mail.network.log(),
    new NetworkCipher(new NetworkSecrets(pool)),
    systemClock,
  );
  const fault = await links.readEnding('any').catch((error: unknown) => error);
  expect(isOutage(fault)).toBe(true);
  await pool.end();
});

it('is announced on the consent page of each session', async () => {
  const person = await unverified();
  const consent = async () => {
    const attempt = await authorizationRequest(mail.accounts.client, 'openid read');
    return (await person.visitor.open(attempt.url)).text;
  };
  expect(await consent()).not.toContain('The operators made a link');
  await make(person.actorId);
  expect(await consent()).toContain('The operators made a link');
});
