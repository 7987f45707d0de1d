import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CommandBus } from '@nestjs/cqrs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SmtpMail } from '../../src/base/mail/smtp-mail.js';
import { EraseAccount } from '../../src/commands/account/erase-account.js';
import { ExpiredRecords } from '../../src/doors/auth/storage/expired-records.js';
import { Clock } from '../../src/base/support/clock.js';
import { withWaitingMails } from '../../src/server/health/mail-check.js';
import { Health } from '../../src/server/health/health.js';
import { until } from '../support/until.js';
import { linkIn, MailFixture } from './support/mail.js';

const MINUTE = 60_000;

let mail: MailFixture;

beforeAll(async () => {
  mail = await MailFixture.start();
});

afterAll(() => mail.stop());

const requests = () =>
  mail.query<{ content: string; pause: string }>(
    'SELECT content, due_at - requested_at AS pause FROM authority.mail_request',
  );

const mailHealth = async () => (await mail.network.app().get(Health).readiness()).components['mail'];

const notFinal = { name: 'MailNotSent', isFinal: false };

const sentWithin = (timeouts: { readonly socketTimeout: number; readonly mail: number }) => {
  const settings = { smtpUrl: mail.smtp.url, smtpPassword: undefined, mailFrom: 'plaza@example.org' };
  const transport = new SmtpMail(settings, { connectionTimeout: 200, greetingTimeout: 200, ...timeouts });
  return transport.send({ actorId: 'a', to: 'ada@example.org', subject: 's', text: 't' });
};

describe('a mail', () => {
  it('goes to one recipient, from the network, with the handle alone in its head', async () => {
    const person = await mail.signUp("o'brien+plaza@b\u00fccher.example");
    const received = await mail.smtp.take("o'brien+plaza@xn--bcher-kva.example");
    expect([received.from, received.to]).toEqual([
      'plaza@example.org',
      ["o'brien+plaza@xn--bcher-kva.example"],
    ]);
    const [head = ''] = received.source.split('\r\n\r\n');
    expect(head).toMatch(/^From: Plaza <plaza@example\.org>$/m);
    expect(head).toMatch(/^Auto-Submitted: auto-generated$/m);
    expect(head).toContain(`@${person.handle}`);
    expect(head).not.toMatch(/^(bcc|cc|reply-to):/im);
    expect(linkIn(received)).toMatch(new RegExp(`^${mail.accounts.address}/address/confirm\\?token=`));
  });

  it('is stored nowhere: its request is encrypted, and gone once it is sent', async () => {
    mail.smtp.behavior = 'defer';
    const person = await mail.signUp();
    await until(() => mail.lines.some((line) => line.includes('mail not sent; retrying')));
    expect(JSON.stringify(await requests())).not.toContain(person.address);
    mail.smtp.behavior = 'accept';
    mail.network.advanceClock(MINUTE);
    await mail.smtp.take(person.address);
    await mail.settle();
    const lines = mail.lines.join('');
    expect(lines).toContain('after the answer 451');
    expect(lines).not.toContain(person.address);
    expect(lines).not.toContain('token');
  });

  it('is given up when the server refuses its recipient, and holds up no other', async () => {
    mail.smtp.behavior = 'refuse';
    const refused = await mail.signUp();
    await mail.settle();
    const line = mail.lines.find((each) => each.includes('mail refused; given up'));
    expect(line).toContain('after the answer 550');
    expect(line).not.toContain(refused.address);
    mail.smtp.behavior = 'accept';
    await mail.smtp.take((await mail.signUp()).address);
  });

  it('is tried again when the server refuses its sender, as one that is not set up', async () => {
    mail.smtp.behavior = 'refuse sender';
    const person = await mail.signUp();
    await until(() =>
      mail.lines.some((each) => /not sent; retrying/.test(each) && each.includes('answer 553')),
    );
    mail.smtp.behavior = 'accept';
    mail.network.advanceClock(MINUTE);
    expect(linkIn(await mail.smtp.take(person.address))).toContain('token=');
    await mail.settle();
  });

  it('is tried again after pauses that grow', async () => {
    mail.smtp.behavior = 'defer';
    await mail.signUp();
    const pauses = [0];
    for (let tries = 1; tries <= 4; tries++) {
      const last = pauses.at(-1)!;
      const pause = await until(async () => {
        const [row] = await requests();
        return Number(row?.pause) > last && Number(row?.pause);
      });
      pauses.push(pause);
      mail.network.advanceClock(pause - last);
    }
    const [, first = 0, ...others] = pauses;
    expect(first).toBeGreaterThanOrEqual(MINUTE / 2);
    expect(others.every((pause, n) => pause >= 2 * pauses[n + 1]!)).toBe(true);
    mail.smtp.behavior = 'accept';
    mail.network.advanceClock(60 * MINUTE);
    await mail.network.app().get(ExpiredRecords).sweep();
    mail.smtp.received.length = 0;
  });

  it('waits for a server that hangs, an hour at most; operators see it, and nobody else', async () => {
    const known = await mail.verified();
    mail.smtp.behavior = 'hang';
    const before = mail.smtp.connections;
    const person = await mail.signUp();
    expect(person.page.status).toBe(200);
    await until(() => mail.smtp.connections > before);
    await mail.askRecovery(known.address);
    mail.network.advanceClock(6 * MINUTE);
    expect(await mailHealth()).toEqual({ status: 'ok' });
    const app = mail.network.app();
    const { pool } = mail.network.database();
    const readiness = await app.get(Health).readiness();
    const shown = await withWaitingMails(readiness, pool, app.get(Clock).now());
    expect(shown.components['mail']).toEqual({
      status: 'failed',
      reason: expect.stringContaining('Mails wait'),
    });
    mail.network.advanceClock(56 * MINUTE);
    await mail.network.app().get(ExpiredRecords).sweep();
    expect(await requests()).toEqual([]);
    mail.smtp.behavior = 'accept';
  });

  it('of a server that hangs fails after a while', async () => {
    mail.smtp.behavior = 'hang';
    await expect(sentWithin({ socketTimeout: 200, mail: 60_000 })).rejects.toMatchObject(notFinal);
    mail.smtp.behavior = 'accept';
  });

  it('of a server that answers without an end fails after a while', async () => {
    mail.smtp.behavior = 'drip';
    await expect(sentWithin({ socketTimeout: 60_000, mail: 400 })).rejects.toMatchObject(notFinal);
    mail.smtp.behavior = 'accept';
  });

  it('goes to no server of another machine without TLS', async () => {
    const transport = new SmtpMail({
      // An address of this machine that does not count as one.
      smtpUrl: mail.smtp.url.replace('127.0.0.1', '0.0.0.0'),
      smtpPassword: undefined,
      mailFrom: 'plaza@example.org',
    });
    const sent = transport.send({ actorId: 'a', to: 'ada@example.org', subject: 's', text: 't' });
    await expect(sent).rejects.toMatchObject({ name: 'MailNotSent' });
    expect(mail.smtp.received).toEqual([]);
  });
});

describe('without a server', () => {
  const files = () => {
    const dir = join(mail.network.config.dataDir, 'mail');
    return readdirSync(dir).map((name) => join(dir, name));
  };

  it('a mail of a network on this machine is a file that its owner alone reads', async () => {
    await mail.restart({ SMTP_URL: '', MAIL_FROM: '' });
    const person = await mail.signUp();
    await mail.settle();
    const [file = ''] = files();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(`To: ${person.address}`);
    const lines = mail.lines.join('');
    expect(lines).toContain(file);
    expect(lines).not.toContain('token=');
    const [link = ''] = /https?:\S+/.exec(text) ?? [];
    await mail.confirm(person.visitor, link);
    expect((await person.visitor.open(mail.accounts.address)).text).toContain('(confirmed');
    const metadata = { requestId: person.handle, operator: 'test', reason: 'a test' };
    await mail.network.app().get(CommandBus).execute(new EraseAccount(person.actorId, metadata));
    await until(() => files().length === 0);
  });

  it('goes after a day', async () => {
    await mail.signUp();
    await mail.settle();
    expect(files()).toHaveLength(1);
    mail.network.advanceClock(24 * 60 * MINUTE);
    await until(() => files().length === 0);
  });

  it('goes after a day also where the network got a server meanwhile, or sends no mail any more', async () => {
    for (const restart of [() => mail.restart(), () => mail.restartWithoutMail()]) {
      await mail.restart({ SMTP_URL: '', MAIL_FROM: '' });
      await mail.signUp();
      await mail.settle();
      expect(files()).toHaveLength(1);
      await restart();
      mail.network.advanceClock(24 * 60 * MINUTE);
      await until(() => files().length === 0);
    }
  });

  it('is named by /readyz elsewhere', async () => {
    await mail.restartWithoutMail();
    expect(await mailHealth()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('set SMTP_URL'),
    });
  });
});
