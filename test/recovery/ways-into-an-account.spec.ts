/**
 * One network with two API processes, whose stores go back. Rows of backups: restore-tables.spec.ts.
 *
 * @sample first
 * @slow
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { linkIn } from '../auth/support/mail.js';
import { Visitor } from '../auth/support/visitor.js';
import type { PageAnswer } from '../auth/support/visitor.js';
import { operatorOf, password } from '../support/api.js';
import { startApiProcess } from '../support/api-process.js';
import type { ApiProcess } from '../support/api-process.js';
import { runPlaza } from '../support/command.js';
import { backUp, copyLog, destroyLog, newBackupDir, replaceLog, restore } from '../support/drill.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { SmtpServer } from '../support/smtp-server.js';
import { until } from '../support/until.js';

const NEXT = 'another horse battery';

interface Person {
  readonly handle: string;
  readonly address: string;
  readonly visitor: Visitor;
}

let smtp: SmtpServer;
let network: TestNetwork;
let another: ApiProcess;
let dir: string;

beforeAll(async () => {
  smtp = await SmtpServer.start();
  network = await startNetwork({ ...smtp.settings, LOG_LEVEL: 'debug' });
  another = await startApiProcess(network);
  dir = newBackupDir(network);
});

afterAll(async () => {
  await another?.stop();
  await network?.stop();
  await smtp?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const account = () => `${network.baseUrl}/api/auth/account`;

async function query<Row>(sql: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: network.env['DATABASE_URL'] });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}

const confirm = async ({ visitor }: Person, address: string) =>
  visitor.submitTo(await visitor.open(linkIn(await smtp.take(address))), '/address/confirm');

async function verifiedPerson(): Promise<Person> {
  const handle = `p_${randomBytes(5).toString('hex')}`;
  const person = { handle, address: `${handle}@example.org`, visitor: new Visitor(network.baseUrl) };
  const form = await person.visitor.open(`${account()}/sign-up`);
  await person.visitor.submit(form, { handle, displayName: 'N', email: person.address, password });
  await confirm(person, person.address);
  return person;
}

async function ask(address: string): Promise<void> {
  const visitor = new Visitor(network.baseUrl);
  await visitor.submit(await visitor.open(`${account()}/recovery`), { email: address });
}

async function linkFor(address: string): Promise<string> {
  await ask(address);
  return linkIn(await smtp.take(address));
}

const pageOf = (link: string) => new Visitor(network.baseUrl).open(link);
const hasEnded = async (link: string) => (await pageOf(link)).text.includes('This link has ended');

/** The account page after a sign-in. */
async function signIn({ handle }: Pick<Person, 'handle'>, typed: string): Promise<PageAnswer> {
  const visitor = new Visitor(network.baseUrl);
  return visitor.submit(await visitor.open(account()), { handle, password: typed });
}
const opens = async (person: Person, typed: string) =>
  !(await signIn(person, typed)).text.includes('name="password"');

/** Sends a form to one of the processes behind the address of the network. Returns where its answer leads. */
async function submitAt(port: number, visitor: Visitor, page: PageAnswer, typed: string) {
  const { action = '', fields = {} } = page.forms[0] ?? {};
  const body = new URLSearchParams({ ...fields, new: typed }).toString();
  const { host, origin } = new URL(network.baseUrl);
  const cookie = visitor.cookiesFor(page.url).join('; ');
  const type = 'application/x-www-form-urlencoded';
  const headers = { host, origin, cookie, 'content-type': type, 'content-length': Buffer.byteLength(body) };
  const sent = request({ host: '127.0.0.1', port, method: 'POST', path: action, headers }).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode === 303 ? answer.headers.location : answer.statusCode;
}

it('of links used at both processes at once, one wins, and no log has their tokens', async () => {
  const person = await verifiedPerson();
  const links = [await linkFor(person.address), await linkFor(person.address)];
  const ports = [Number(new URL(network.baseUrl).port), another.port];
  const uses = await Promise.all(
    [...links, ...links].map(async (link, n) => {
      const visitor = new Visitor(network.baseUrl);
      return { visitor, page: await visitor.open(link), next: `${NEXT} ${n}`, port: ports[n >> 1] ?? 0 };
    }),
  );
  const answers = await Promise.all(
    uses.map(({ port, visitor, page, next }) => submitAt(port, visitor, page, next)),
  );
  const winner = uses.find((_, n) => answers[n] === '/api/auth/account');
  expect(answers).toEqual(uses.map((use) => (use === winner ? '/api/auth/account' : 400)));
  const outcomes = await Promise.all(uses.map(({ next }) => opens(person, next)));
  expect(outcomes).toEqual(uses.map((use) => use === winner));
  expect(await Promise.all(links.map(hasEnded))).toEqual([true, true]);
  await smtp.take(person.address);
  const tokens = links.map((link) => new URL(link).searchParams.get('token') ?? '');
  expect(tokens.filter((token) => network.output().includes(token))).toEqual([]);
});

describe('people who changed something since', () => {
  /** Has another address. */
  let mia: Person;
  let second: string;
  /** Has another password. */
  let noa: Person;
  let erased: Person;
  /** Links from before the change. */
  let before: readonly string[];
  let linkToSecond: string;
  let log: string;

  beforeAll(async () => {
    [mia, noa, erased] = [await verifiedPerson(), await verifiedPerson(), await verifiedPerson()];
    second = `new.${mia.address}`;
    const links: string[] = [];
    for (const { address } of [mia, noa, erased]) links.push(await linkFor(address));
    before = links;
    log = join(network.dataDir, 'log-before');
    copyLog(network, log);
    await backUp(network, dir);

    const form = await mia.visitor.open(`${account()}/address`);
    await mia.visitor.submit(form, { email: second, confirm: password });
    await confirm(mia, second);
    linkToSecond = await linkFor(second);
    const page = await noa.visitor.open(account());
    await noa.visitor.submit(page, { current: password, new: NEXT });
    const [row] = await query<{ actor_id: string }>(
      `SELECT actor_id FROM authority.account WHERE handle = '${erased.handle}'`,
    );
    const actorId = row?.actor_id ?? '';
    await operatorOf(network).post('accounts/:id/erase', { id: actorId, delayMs: 0, reason: 'asked for' });
    await smtp.take(mia.address);
  });

  /** Derives the authority store again. */
  const apply = async () => {
    const { code, stderr } = await runPlaza(['recovery', 'apply', '--reason', 'drill'], network.env);
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    await until(async () => (await fetch(`${network.baseUrl}/readyz`)).ok, 120_000);
  };

  /** Those of the addresses to which a request for a link sends one. */
  async function mailed(...addresses: readonly string[]): Promise<readonly string[]> {
    for (const address of addresses) await ask(address);
    await until(async () => (await query('SELECT FROM authority.mail_request')).length === 0);
    return smtp.received
      .splice(0)
      .flatMap(({ to }) => to)
      .toSorted();
  }

  const endedLinks = () => Promise.all([...before, linkToSecond].map(hasEnded));
  const opened = async () => [
    await opens(noa, password),
    await opens(noa, NEXT),
    await opens(erased, password),
  ];

  it('are kept apart from what was before by a rebuild of the authority store', async () => {
    await query(`UPDATE recovery.publication SET status = 'quarantined', reason = 'a test'`);
    await apply();
    expect(await endedLinks()).toEqual([true, true, true, false]);
    expect(await mailed(mia.address, erased.address)).toEqual([]);
    expect(await mailed(second, noa.address)).toEqual([second, noa.address].toSorted());
    expect(await opened()).toEqual([false, true, false]);
  });

  /** `early`: before the recovery. */
  async function stateAfterRecovery() {
    const early = await Promise.all([...before, linkToSecond].map(pageOf));
    await apply();
    return {
      early: early.flatMap(({ forms }) => forms),
      endedLinks: await endedLinks(),
      mailed: await mailed(mia.address, second, erased.address, noa.address),
      isUnconfirmed: (await signIn(mia, password)).text.includes('not confirmed'),
      opened: await opened(),
    };
  }

  const closed = () => ({
    early: [],
    endedLinks: [true, true, true, true],
    mailed: [noa.address],
    isUnconfirmed: true,
    opened: [false, true, false],
  });

  it('by an older log', async () => {
    await another.stop();
    await network.halt();
    replaceLog(network, log);
    await network.restart();
    expect(await stateAfterRecovery()).toEqual(closed());
  });

  it('by a restored backup', async () => {
    await network.halt();
    destroyLog(network);
    const { code, stderr } = await restore(network.dataDir, dir);
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    await network.restart();
    expect(await stateAfterRecovery()).toEqual(closed());
  });
});
