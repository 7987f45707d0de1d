import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { PeriodicTask } from '../../../src/base/support/periodic-task.js';
import { mailTasks } from '../../../src/programs/api/outgoing-mail.js';
import { SmtpServer } from '../../support/smtp-server.js';
import type { ReceivedMail } from '../../support/smtp-server.js';
import { until } from '../../support/until.js';
import { AccountFixture } from './account.js';
import type { SignedInPerson } from './account.js';
import type { AuthNetwork } from './auth-network.js';
import { password } from './auth-network.js';
import { Visitor } from './visitor.js';
import type { PageAnswer } from './visitor.js';

export interface PersonWithAddress extends SignedInPerson {
  readonly address: string;
}

/** A network whose mails go to a server of the test. */
export class MailFixture {
  /** Lines of the log of the task that sends mails. */
  readonly lines: string[] = [];
  private tasks: readonly PeriodicTask[] = [];

  private constructor(
    readonly smtp: SmtpServer,
    readonly accounts: AccountFixture,
  ) {}

  static async start(): Promise<MailFixture> {
    const [smtp, accounts] = await Promise.all([SmtpServer.start(), AccountFixture.start()]);
    const fixture = new MailFixture(smtp, accounts);
    await fixture.restart();
    return fixture;
  }

  get network(): AuthNetwork {
    return this.accounts.network;
  }

  /** Restarts without a server for mails, at an address of this machine that does not count as one. Returns its origin. */
  async restartWithoutMail(settings: NodeJS.ProcessEnv = {}): Promise<string> {
    const origin = this.network.baseUrl.replace('localhost', '0.0.0.0');
    await this.restart({ SMTP_URL: '', MAIL_FROM: '', BASE_URL: origin, ...settings });
    return origin;
  }

  /** Replaces server and task. Mails go to the server of the test unless the settings say otherwise. */
  async restart(settings: NodeJS.ProcessEnv = {}): Promise<void> {
    await this.stopTasks();
    await this.network.restartServer({ ...this.smtp.settings, ...settings });
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.lines.push(String(chunk));
        done();
      },
    });
    const options = { lockUrl: this.network.databaseUrl, logger: pino({ level: 'debug' }, stream) };
    this.tasks = await mailTasks(this.network.app(), options);
    for (const task of this.tasks) task.start();
  }

  private async stopTasks(): Promise<void> {
    for (const task of this.tasks) await task.stop();
  }

  async stop(): Promise<void> {
    await this.stopTasks();
    await this.network.stop();
    await this.smtp.stop();
  }

  /** Resolves once every request has been worked on. */
  async settle(): Promise<void> {
    await until(async () => (await this.query('SELECT FROM authority.mail_request')).length === 0);
  }

  /** Recipients whose address has this text, once every request has been worked on. */
  async recipients(text: string): Promise<readonly string[]> {
    await this.settle();
    return this.smtp.received.flatMap(({ to }) => to).filter((address) => address.includes(text));
  }

  query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.network.database().dataSource.query(sql, [...values]);
  }

  /** Signs up as a person does, which asks for a mail to the address. */
  async signUp(address?: string): Promise<PersonWithAddress> {
    const handle = `mail_${randomUUID().slice(0, 8)}`;
    const email = address ?? `${handle}@example.org`;
    const visitor = new Visitor(this.network.baseUrl);
    const form = await visitor.open(`${this.accounts.address}/sign-up`);
    const page = await visitor.submit(form, { handle, displayName: 'N', email, password });
    const [row] = await this.query<{ actor_id: string }>(
      'SELECT actor_id FROM authority.account WHERE handle = $1',
      [handle],
    );
    return { handle, actorId: row?.actor_id ?? '', visitor, page, address: email };
  }

  /** A person whose address is verified, signed in. */
  async verified(address?: string): Promise<PersonWithAddress> {
    const person = await this.signUp(address);
    await this.confirm(person.visitor, linkIn(await this.smtp.take(person.address)));
    return person;
  }

  async confirm(visitor: Visitor, link: string): Promise<PageAnswer> {
    return visitor.submitTo(await visitor.open(link), '/address/confirm');
  }

  /** Asks for another address, by the page. */
  async askChange({ visitor }: SignedInPerson, email: string, confirm = password): Promise<PageAnswer> {
    return visitor.submit(await visitor.open(`${this.accounts.address}/address`), { email, confirm });
  }

  /** Changes the address, and confirms it. */
  async change(person: SignedInPerson, email: string): Promise<void> {
    await this.askChange(person, email);
    await this.confirm(person.visitor, linkIn(await this.smtp.take(email)));
  }

  /** Asks for a link in a new browser. */
  async askRecovery(email: string): Promise<PageAnswer> {
    const visitor = new Visitor(this.network.baseUrl);
    return visitor.submit(await visitor.open(`${this.accounts.address}/recovery`), { email });
  }

  /** The link of a recovery that a person asked for. */
  async recoveryLink(address: string): Promise<string> {
    await this.askRecovery(address);
    return linkIn(await this.smtp.take(address));
  }

  /** A digest of each table of the authority store, and the end of the log. */
  async everything() {
    const tables = await this.query(`SELECT tablename,
      md5(query_to_xml(format('SELECT * FROM authority.%I AS each ORDER BY each::text', tablename), true, false, '')::text)
      FROM pg_tables WHERE schemaname = 'authority' ORDER BY 1`);
    return { tables, head: await this.network.log().head() };
  }

  /** Opens a link, and sets a password there. `more`: fields of the form. */
  async recover(link: string, next: string, more: Readonly<Record<string, string>> = {}) {
    const visitor = new Visitor(new URL(link).origin);
    const form = await visitor.open(link);
    const fields = { new: next, ...more };
    const done = form.forms.length === 0 ? form : await visitor.submitTo(form, '/recovery/password', fields);
    return { visitor, form, done };
  }
}

/** The one link of a mail. */
export function linkIn({ text }: ReceivedMail): string {
  const [link, ...others] = text.match(/https?:\S+/g) ?? [];
  if (link === undefined || others.length > 0) throw new Error(`not one link:\n${text}`);
  return link;
}
