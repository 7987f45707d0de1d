import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { foundNetwork } from '../../projections/incarnations/network-identity.js';
import { limits } from '../../src/base/config/limit-settings.js';
import { CHALLENGE_MS } from '../../src/server/passkeys/challenges.js';
import { EraseAccount } from '../../src/commands/account/erase-account.js';
import { startOperatorApi } from '../../src/operator/entrances/operator-server.js';
import { MAX_PASSKEYS } from '../../src/domain/account/factors.js';
import { streams } from '../../src/log/streams.js';
import { enrollInConsole, questionOf, signInToConsole } from '../support/console.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { operatorClient } from '../support/operator-client.js';
import { Authenticator } from '../support/authenticator.js';
import { until } from '../support/until.js';
import { alertIn, noticeIn } from './support/account.js';
import { password } from './support/auth-network.js';
import { authorizationRequest } from './support/flow.js';
import { MailFixture } from './support/mail.js';
import type { PersonWithAddress } from './support/mail.js';
import { addPasskey, answerWith, changeByPassword } from './support/passkeys.js';
import type { PersonWithPasskey } from './support/passkeys.js';
import { Visitor } from './support/visitor.js';
import type { PageAnswer } from './support/visitor.js';

let mail: MailFixture;
let list: string;

beforeAll(async () => {
  mail = await MailFixture.start();
  await mail.restart({ RATE_LIMITS: 'off' });
  list = `${mail.accounts.address}/passkeys`;
});

afterAll(() => mail.stop());

/** A person with a verified address and a passkey, who was told of both. */
async function withPasskey(): Promise<PersonWithPasskey & PersonWithAddress> {
  const person = await addPasskey(await mail.verified());
  await mail.settle();
  mail.smtp.received.length = 0;
  return person;
}

/** Signs in at the account page, by the passkey alone. */
async function signInBy({ authenticator }: Pick<PersonWithPasskey, 'authenticator'>) {
  const visitor = new Visitor(mail.network.baseUrl);
  const page = await answerWith(authenticator, visitor, await visitor.open(mail.accounts.address));
  return { visitor, page };
}

const factorEvents = async ({ actorId }: { readonly actorId: string }) =>
  (await mail.network.log().read(streams.factors(actorId))).map(({ event }) => event);

describe('a passkey', () => {
  it('is added once the password was right, and its person is told', async () => {
    const person = await mail.verified();
    const wrong = await changeByPassword(person, 'add', 'a wrong password');
    expect([wrong.status, alertIn(wrong)]).toEqual([400, 'That is not your password.']);
    const added = await addPasskey(person, 'Kitchen <b>phone</b>');
    const { text } = await person.visitor.open(list);
    expect(text).toContain('Kitchen &lt;b&gt;phone&lt;/b&gt;');
    expect(text).toContain('not used yet');
    const told = await mail.smtp.take(person.address);
    expect(told.source).toContain(`Subject: Plaza: @${person.handle} has another passkey`);
    expect(told.text).not.toMatch(/https?:|Kitchen/);
    const event = { actorId: person.actorId, at: expect.any(Number) };
    expect(await factorEvents(added)).toEqual([{ type: 'account.passkey_added', data: event }]);
  });

  it('signs in at the account page, instead of handle and password', async () => {
    const person = await withPasskey();
    const { visitor, page } = await signInBy(person);
    expect([page.url, page.text]).toEqual([
      mail.accounts.address,
      expect.stringContaining(`@${person.handle}`),
    ]);
    expect((await visitor.open(list)).text).toMatch(/last used on <time datetime="[-0-9]{10}"/);
    const signIns = await mail.network.log().read(streams.signIns(person.actorId));
    expect(signIns.map(({ event }) => event.type)).toEqual(Array(2).fill('account.signed_in'));
  });

  it('signs in for an application', async () => {
    const { authenticator } = await withPasskey();
    const visitor = new Visitor(mail.network.baseUrl);
    const { url } = await authorizationRequest(mail.accounts.client, 'read');
    const consent = await answerWith(authenticator, visitor, await visitor.open(url));
    expect(consent.text).toContain('name="decision"');
    const done = await visitor.submit(consent, { decision: 'allow' });
    expect(new URL(done.url).searchParams.get('code')).toBeTruthy();
  });

  it('is asked for by a page that works without a script', async () => {
    const { text, headers } = await new Visitor(mail.network.baseUrl).open(mail.accounts.address);
    expect(text).toMatch(/<form method="post" action="[^"]*\/sign-in\/passkey" hidden>/);
    expect(headers.get('content-security-policy')).toMatch(/; script-src 'sha256-[^']*'; /);
    const { page } = await mail.verified();
    expect(page.text).not.toContain('<script');
    expect(page.headers.get('content-security-policy')).not.toContain('script-src');
  });
});

describe('nobody is signed in by', () => {
  const refusal = ({ status, text }: { readonly status: number; readonly text: string }) =>
    text.includes('Sign out') ? 'signed in' : status;

  it('an answer for another browser, a late one, or one sent twice', async () => {
    const { authenticator } = await withPasskey();
    const [one, two] = [new Visitor(mail.network.baseUrl), new Visitor(mail.network.baseUrl)];
    const [first, second] = [await one.open(mail.accounts.address), await two.open(mail.accounts.address)];
    const credential = authenticator.get(questionOf(first));
    expect(refusal(await two.submit(second, { credential }))).toBe(400);
    expect(refusal(await one.submit(first, { credential }))).toBe('signed in');
    const again = new Visitor(mail.network.baseUrl);
    again.takeCookiesOf(one);
    expect(refusal(await again.submit(first, { credential }))).toBe(400);
    const late = new Visitor(mail.network.baseUrl);
    const page = await late.open(mail.accounts.address);
    const answer = authenticator.get(questionOf(page));
    mail.network.advanceClock(CHALLENGE_MS);
    expect(refusal(await late.submit(page, { credential: answer }))).toBe(400);
  });

  it('a touch without a PIN or finger, another origin, or a wrong signature', async () => {
    const { authenticator } = await withPasskey();
    const submit = async (answer: (page: { readonly text: string }) => string) => {
      const visitor = new Visitor(mail.network.baseUrl);
      const page = await visitor.open(mail.accounts.address);
      return refusal(await visitor.submit(page, { credential: answer(page) }));
    };
    expect(await submit((page) => authenticator.get(questionOf(page), { isVerified: false }))).toBe(400);
    authenticator.origin = mail.network.config.operatorBaseUrl;
    expect(await submit((page) => authenticator.get(questionOf(page)))).toBe(400);
    authenticator.origin = mail.network.baseUrl;
    const changed = (page: { readonly text: string }) =>
      authenticator.get(questionOf(page)).replace(/"authenticatorData":"./, '"authenticatorData":"_');
    expect(await submit(changed)).toBe(400);
    for (const bad of ['', '{}', 'x'.repeat(40_000), JSON.stringify({ id: 'a'.repeat(1_401) })])
      expect(await submit(() => bad)).toBe(400);
    expect(await submit((page) => authenticator.get(questionOf(page)))).toBe('signed in');
  });

  it('the passkey of somebody else, of nobody, or of an operator', async () => {
    const [person, other] = [await withPasskey(), await withPasskey()];
    const own = person.authenticator.userHandle;
    for (const handle of [
      other.authenticator.userHandle,
      base64url('person:nobody'),
      base64url('an-operator'),
    ]) {
      person.authenticator.userHandle = handle;
      const { page } = await signInBy(person);
      expect([page.status, alertIn(page)]).toEqual([
        400,
        'This passkey opens no account here, or was removed. Use your password.',
      ]);
    }
    person.authenticator.userHandle = undefined;
    expect((await signInBy(person)).page.status).toBe(400);
    person.authenticator.userHandle = own;
    expect((await signInBy(person)).page.status).toBe(200);
  });

  it('a removed passkey, whose removal signs out every other browser', async () => {
    const person = await withPasskey();
    const elsewhere = await signInBy(person);
    const { credentialId } = person.authenticator;
    const removed = await changeByPassword(person, `remove&passkey=${credentialId}`);
    expect(noticeIn(removed)).toBe('The passkey is removed, and you are signed out in every other browser.');
    expect(await mail.accounts.isSignedIn(elsewhere.visitor)).toBe(false);
    expect(await mail.accounts.isSignedIn(person.visitor)).toBe(true);
    expect((await signInBy(person)).page.status).toBe(400);
    const told = await mail.smtp.take(person.address);
    expect(told.source).toContain(`Subject: Plaza: @${person.handle} has a passkey less`);
    expect((await factorEvents(person)).map(({ type }) => type)).toEqual([
      'account.passkey_added',
      'account.passkey_removed',
    ]);
  });

  it('an erased passkey: it is deleted with the password', async () => {
    const person = await withPasskey();
    const metadata = { requestId: person.handle, operator: 'test', reason: 'a test' };
    await mail.network.app().get(CommandBus).execute(new EraseAccount(person.actorId, metadata));
    expect((await signInBy(person)).page.status).toBe(400);
    expect(
      await mail.query('SELECT FROM authority.credential WHERE actor_id = $1', [person.actorId]),
    ).toEqual([]);
  });

  it('a suspended account: it leads to the page of appeals, and nowhere for an application', async () => {
    const person = await withPasskey();
    await mail.accounts.suspend(person.handle, person.actorId);
    const { visitor, page } = await signInBy(person);
    expect(page.url).toBe(`${mail.accounts.address}/appeal`);
    expect(await mail.accounts.isSignedIn(visitor)).toBe(false);
    const data = page.forms.find(({ action }) => action.endsWith('/appeal/data'));
    expect(data?.fields).toHaveProperty('credential');
    const { url } = await authorizationRequest(mail.accounts.client, 'read');
    const other = new Visitor(mail.network.baseUrl);
    const refused = await answerWith(person.authenticator, other, await other.open(url));
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('suspended')]);
  });

  it('more tries than an address has, which are counted for no account', async () => {
    await mail.restart();
    const visitor = new Visitor(mail.network.baseUrl);
    const page = await visitor.open(mail.accounts.address);
    const statuses = new Set<number>();
    for (let tries = 0; tries <= limits.signIn.address.quota; tries++)
      statuses.add((await visitor.submit(page, { credential: '{}' })).status);
    expect([...statuses]).toEqual([400, 429]);
    const used = await mail.query<{ n: string }>('SELECT count(*) AS n FROM limits.used WHERE points > 9');
    expect(used).toEqual([{ n: '1' }]);
    await mail.query('DELETE FROM limits.used');
    await mail.restart({ RATE_LIMITS: 'off' });
  });
});

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

describe('a signed-in browser without password and passkey', () => {
  it('adds no passkey: the question of another page is none for a new one', async () => {
    const person = await withPasskey();
    const page = await person.visitor.open(`${list}/change?act=add`);
    const credential = person.authenticator.create(questionOf(page));
    const [form] = page.forms;
    const forms = form ? [{ ...form, action: `${list}/new` }] : [];
    const refused = await person.visitor.submitTo({ ...page, forms }, '/new', { label: 'thief', credential });
    expect(refused.status).toBe(400);
    expect(await factorEvents(person)).toHaveLength(1);
  });

  it.each(['add', 'require', 'lift', 'remove'])('does nothing else there: %s', async (act) => {
    const person = await withPasskey();
    const what = act === 'remove' ? `remove&passkey=${person.authenticator.credentialId}` : act;
    for (const typed of ['', 'a wrong password'])
      expect(alertIn(await changeByPassword(person, what, typed))).toBe('That is not your password.');
    expect(await factorEvents(person)).toHaveLength(1);
  });
});

describe('a passkey that would be refused', () => {
  it('is not asked for: the browser checks its name, and the page the number', async () => {
    const person = await mail.verified();
    const page = await changeByPassword(person, 'add');
    expect(page.text).toMatch(/maxlength="64" pattern="\.\*\\S\.\*"/);
    await mail.query(
      `UPDATE authority.credential SET factors = jsonb_build_object('passkeys',
        (SELECT jsonb_agg(jsonb_build_object('id', n::text, 'publicKey', '', 'transports', '[]'::jsonb, 'signCount', 0,
          'name', 'n', 'addedAt', 0)) FROM generate_series(1, $2::int) n)) WHERE actor_id = $1`,
      [person.actorId, MAX_PASSKEYS],
    );
    const refused = await changeByPassword(person, 'add');
    expect([refused.status, alertIn(refused)]).toEqual([400, expect.stringContaining('remove one first')]);
    expect(refused.text).not.toContain('data-passkey="create"');
  });
});

describe('while the credential is changed by another process', () => {
  /** Sends a form, changes the credential once the answer waits for its lock, and returns the answer. */
  async function during(actorId: string, send: () => Promise<PageAnswer>, sql: string): Promise<PageAnswer> {
    const { dataSource } = mail.network.database();
    const other = dataSource.createQueryRunner();
    await other.startTransaction();
    await other.query('SELECT FROM authority.credential WHERE actor_id = $1 FOR UPDATE', [actorId]);
    const answer = send();
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    await until(async () => (await dataSource.query<unknown[]>(waiting)).length === 1);
    await other.query(sql, [actorId]);
    await other.commitTransaction();
    await other.release();
    return answer;
  }

  it('a session that ends adds no passkey', async () => {
    const person = await mail.verified();
    const page = await changeByPassword(person, 'add');
    const credential = new Authenticator(mail.network.baseUrl).create(questionOf(page));
    const add = () => person.visitor.submitTo(page, '/passkeys/new', { label: 'thief', credential });
    const ended = `UPDATE authority.oidc_record SET payload = '{"exp": 0}'
      WHERE kind = 'Session' AND payload->>'accountId' = $1`;
    expect((await during(person.actorId, add, ended)).status).toBe(403);
    expect(await factorEvents(person)).toEqual([]);
  });

  it('a passkey that is removed signs nobody in', async () => {
    const person = await withPasskey();
    const removed = `UPDATE authority.credential SET factors = '{"passkeys": []}' WHERE actor_id = $1`;
    const page = await during(person.actorId, async () => (await signInBy(person)).page, removed);
    expect([page.status, alertIn(page)]).toEqual([400, expect.stringContaining('or was removed')]);
  });
});

describe('a passkey instead of the password', () => {
  it('confirms a change of the address, a download, another passkey and an erasure', async () => {
    const person = await withPasskey();
    const { visitor, authenticator } = person;
    const open = async (path: string) => visitor.open(`${mail.accounts.address}${path}`);
    const email = `new.${person.address}`;
    const asked = await answerWith(authenticator, visitor, await open('/address'), { email });
    expect(noticeIn(asked)).toContain('A mail is on its way');
    await mail.smtp.take(email);
    const adding = await answerWith(authenticator, visitor, await open('/passkeys/change?act=add'));
    expect(adding.text).toContain('data-passkey="create"');
    const page = await open('');
    const credential = authenticator.get(questionOf(page));
    const erased = await visitor.submitTo(page, '/account/erase', { credential });
    expect(noticeIn(erased)).toBe('Your account will be deleted. Until then you can keep it.');
    const again = await open('');
    const data = { credential: authenticator.get(questionOf(again)) };
    // Without an audit in this process, the download itself says that it must wait.
    expect((await visitor.submitTo(again, '/account/data', data)).text).not.toContain('your passkeys.');
  });

  it('confirms nothing of somebody else', async () => {
    const [person, other] = [await withPasskey(), await withPasskey()];
    const page = await person.visitor.open(`${mail.accounts.address}/address`);
    const answer = () => other.authenticator.get(questionOf(page));
    const fields = { email: 'thief@example.org' };
    const refused = await person.visitor.submit(page, { ...fields, credential: answer() });
    expect([refused.status, alertIn(refused)]).toEqual([400, 'That is none of your passkeys.']);
    other.authenticator.userHandle = person.authenticator.userHandle;
    expect(alertIn(await person.visitor.submit(page, { ...fields, credential: answer() }))).toBe(
      'That is none of your passkeys.',
    );
  });
});

describe('passkeys', () => {
  it('are ten at most, each named', async () => {
    const person = await mail.verified();
    for (let n = 1; n <= 10; n++) await addPasskey(person, `key ${n}`);
    await expect(addPasskey(person, 'one more')).rejects.toThrow(/You have 10 passkeys: remove one first/);
    await changeByPassword(person, `remove&passkey=${(await idsOf(person))[0]}`);
    await expect(addPasskey(person, ' ')).rejects.toThrow(/1 to 64 visible characters/);
    expect(await idsOf(person)).toHaveLength(9);
    await mail.settle();
    mail.smtp.received.length = 0;
  });
});

const idsOf = async ({ visitor }: Pick<PersonWithPasskey, 'visitor'>): Promise<readonly string[]> =>
  [...(await visitor.open(list)).text.matchAll(/&amp;passkey=([^"]*)"|&passkey=([^"]*)"/g)].map(
    ([, escaped, plain]) => escaped ?? plain ?? '',
  );

describe('on a machine of its own, where console and account page have the same host name,', () => {
  it('the console takes no passkey of a person, nor the account page one of an operator', async () => {
    await foundNetwork(mail.network.log(), { uuid: randomUUID, networkId: () => 'n-1' }, Date.now);
    const operatorApi = await startOperatorApi(mail.network.app());
    try {
      const { operatorBaseUrl } = mail.network.config;
      const { authenticator: person } = await withPasskey();
      const operator = await enrollInConsole(operatorBaseUrl, operatorClient(mail.network.config), [
        'moderator',
      ]);
      person.origin = operatorBaseUrl;
      const refused = await signInToConsole(operatorBaseUrl, {
        browser: new Browser(operatorBaseUrl),
        authenticator: person,
      });
      expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('unknown or removed')]);
      operator.authenticator.origin = mail.network.baseUrl;
      for (const handle of [operator.authenticator.userHandle, person.userHandle, undefined]) {
        operator.authenticator.userHandle = handle;
        expect((await signInBy(operator)).page.status).toBe(400);
      }
      const stored = await mail.query('SELECT FROM authority.operator_passkey WHERE credential_id = $1', [
        person.credentialId,
      ]);
      expect(stored).toEqual([]);
    } finally {
      await operatorApi.close();
    }
  });
});

it('is not offered where the network has an IP address for a name', async () => {
  const origin = mail.network.baseUrl.replace('localhost', '127.0.0.1');
  await mail.restart({ RATE_LIMITS: 'off', BASE_URL: origin });
  const visitor = new Visitor(origin);
  const page = await visitor.open(`${origin}/api/auth/account`);
  expect(page.text).not.toContain('<script');
  const handle = `ip_${randomUUID().slice(0, 8)}`;
  await mail.network.createAccount(handle);
  await visitor.submit(page, { handle, password });
  expect((await visitor.open(`${origin}/api/auth/account/passkeys`)).text).toContain('IP address');
  await mail.restart({ RATE_LIMITS: 'off' });
});
