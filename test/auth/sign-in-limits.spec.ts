import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { EraseAccount } from '../../src/commands/account/erase-account.js';
import { formsOf } from '../../src/programs/demo/html-forms.js';
import { until } from '../support/until.js';
import { password, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';

let network: AuthNetwork;

beforeAll(async () => {
  network = await startAuthNetwork();
  await network.createAccount('ada');
});

afterAll(() => network.stop());

const query = (sql: string, values: unknown[] = []) => network.database().pool.query(sql, values);

beforeEach(() => query('DELETE FROM limits.used'));

interface Attempted {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Headers = Readonly<Record<string, string>>;

async function ask(
  method: string,
  path: string,
  headers: Headers,
  body = '',
  port = network.config.port,
): Promise<Attempted> {
  const { host } = new URL(network.baseUrl);
  const asked = request({ host: '127.0.0.1', port, path, method, headers: { host, ...headers } }).end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

/** Opens the sign-in page in a new browser. Returns a function that sends its form. */
async function open(port = network.config.port) {
  const page = await ask('GET', '/api/auth/account', { accept: 'text/html' }, '', port);
  const cookie = (page.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ');
  const [form] = formsOf(page.body);
  return (handle: string, secret: string, headers: Headers = {}, at = port): Promise<Attempted> =>
    ask(
      'POST',
      form?.action ?? '',
      { cookie, origin: network.baseUrl, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      new URLSearchParams({ ...form?.fields, handle, password: secret }).toString(),
      at,
    );
}

const WRONG = 'a wrong password';
const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const statuses = (tried: readonly Attempted[]) => tried.map(({ status }) => status).sort((a, b) => a - b);

/** Remaining seconds, the CSRF token of a form, the challenge for a passkey, and ids, in which a short handle can occur by chance. */
const varyingParts =
  /(?<=t=)\d+|(?<="retry-after":")\d+|(?<="x-request-id":"|>Request )[\da-f-]+|(?<=name="form" value="|challenge&quot;:&quot;)[^"&]+/g;

const endWindows = () => query('UPDATE limits.used SET expire = $1', [Date.now() - 1]);

describe('attempts on one account', () => {
  it('are limited to ten in ten minutes, across all servers', async () => {
    const submit = await open();
    const another = await network.startAnotherServer();
    const ports = [network.config.port, another.port];
    const tried = await times(30, (index) => submit('ada', WRONG, {}, ports[index % 2]));
    await another.close();
    expect(statuses(tried)).toEqual([...Array<number>(10).fill(400), ...Array<number>(20).fill(429)]);
  });

  it('are counted by the normalized handle', async () => {
    const submit = await open();
    for (const typed of [' ada', '@ADA', 'Ada ']) await submit(typed, WRONG);
    expect((await submit('ada', WRONG)).headers['ratelimit']).toContain('"account";r=6;');
  });

  it('return the remaining number and Retry-After', async () => {
    const submit = await open();
    const first = await submit('ada', WRONG);
    expect(first.headers['ratelimit-policy']).toBe('"account";q=10;w=600, "address";q=100;w=600');
    expect(first.headers['ratelimit']).toMatch(/^"account";r=9;t=(600|5\d\d), "address";r=99;t=(600|5\d\d)$/);
    expect(first.headers['retry-after']).toBeUndefined();
    await times(9, () => submit('ada', WRONG));
    const refused = await submit('ada', WRONG, { accept: 'text/html' });
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toMatch(/^(600|5\d\d)$/);
    expect(refused.headers['ratelimit']).toMatch(
      /^"account";r=0;t=(600|5\d\d), "address";r=89;t=(600|5\d\d)$/,
    );
    expect(refused.body).toContain('pilot_rate_limited');
    expect(JSON.parse((await submit('ada', WRONG)).body)).toEqual({
      error: 'pilot_rate_limited',
      message: expect.any(String),
    });
  });

  it('are answered alike whether or not the account exists', async () => {
    await network.createAccount('there_is_one');
    const submit = await open();
    const transcriptOf = async (handle: string): Promise<string[]> => {
      const answers: string[] = [];
      await query('DELETE FROM limits.used');
      for (let count = 0; count < 12; count++) {
        const { status, headers, body } = await submit(handle, WRONG, { accept: 'text/html' });
        const { date: _date, ...others } = headers;
        const transcript = `${status} ${JSON.stringify(others)} ${body.replace(/<style>.*<\/style>/s, '')}`;
        answers.push(transcript.replaceAll(varyingParts, 'OTHER').replaceAll(handle, 'HANDLE'));
      }
      return answers;
    };
    const [known, unknown] = [await transcriptOf('there_is_one'), await transcriptOf('there_is_not')];
    expect(known).toEqual(unknown);
    expect(known.map((answer) => answer.slice(0, 3))).toEqual([
      ...Array<string>(10).fill('400'),
      ...Array<string>(2).fill('429'),
    ]);
  });

  it('are refused without checking the password, until the window ends', async () => {
    const submit = await open();
    await times(10, () => submit('ada', WRONG));
    expect((await submit('ada', password)).status).toBe(429);
    await endWindows();
    expect((await submit('ada', password)).status).toBe(303);
  });

  it('are not counted if they succeed', async () => {
    const submit = await open();
    await times(9, () => submit('ada', WRONG));
    for (let count = 0; count < 3; count++) expect((await (await open())('ada', password)).status).toBe(303);
    expect((await submit('ada', WRONG)).status).toBe(400);
    expect((await submit('ada', WRONG)).status).toBe(429);
    const { rows } = await query('SELECT max(points) AS points FROM limits.used');
    expect(rows).toEqual([{ points: 11 }]);
  });
});

const cookiesOf = ({ headers }: Pick<Attempted, 'headers'>): string[] =>
  (headers['set-cookie'] ?? []).map((line) => line.split(';')[0] ?? '');

/** A browser that keeps one of its cookies, or is new. */
async function tryFrom(known: string, handle: string, secret: string): Promise<Attempted> {
  const page = await ask('GET', '/api/auth/account', { accept: 'text/html' });
  const [form] = formsOf(page.body);
  const cookie = [...cookiesOf(page), known].filter(Boolean).join('; ');
  return ask(
    'POST',
    form?.action ?? '',
    { cookie, origin: network.baseUrl, 'content-type': 'application/x-www-form-urlencoded' },
    new URLSearchParams({ ...form?.fields, handle, password: secret }).toString(),
  );
}

/** Signs in and returns the cookies that the browser keeps: of the known browser, and of the session. */
async function signInFrom(known: string, handle: string, secret = password) {
  const signedIn = await tryFrom(known, handle, secret);
  expect(signedIn.status).toBe(303);
  const kept = (name: string) =>
    cookiesOf(signedIn)
      .filter((cookie) => cookie.split('=')[0]?.replace('.sig', '') === name)
      .join('; ');
  return { known: kept('plaza_known_browser'), session: kept('plaza_session') };
}

const exhaust = (handle: string) => times(10, () => tryFrom('', handle, WRONG));

describe('a browser in which a person has signed in', () => {
  it('keeps tries of its own, which nobody else can use up, and uses up none of theirs', async () => {
    const { known } = await signInFrom('', 'ada');
    await exhaust('ada');
    expect((await tryFrom('', 'ada', password)).status).toBe(429);
    expect(statuses(await times(12, () => tryFrom(known, 'ada', WRONG)))).toEqual([
      ...Array<number>(10).fill(400),
      429,
      429,
    ]);
    await query('DELETE FROM limits.used');
    await times(12, () => tryFrom(known, 'ada', WRONG));
    expect((await tryFrom('', 'ada', password)).status).toBe(303);
    await endWindows();
    expect((await tryFrom(known, 'ada', password)).status).toBe(303);
  });

  it('is a cookie that no script reads, for a year', async () => {
    const signedIn = await tryFrom('', 'ada', password);
    const line = signedIn.headers['set-cookie']?.find((each) => each.startsWith('plaza_known_browser='));
    expect(line).toMatch(/; httponly/i);
    const expires = Date.parse(/expires=([^;]+)/i.exec(line ?? '')?.[1] ?? '');
    expect(Math.round((expires - Date.now()) / 86_400_000)).toBe(365);
  });

  it('is known for the people who signed in there and for nobody else', async () => {
    await network.createAccount('bob');
    await network.createAccount('cleo');
    const first = await signInFrom('', 'ada');
    const second = await signInFrom(first.known, 'bob');
    await exhaust('ada');
    await exhaust('bob');
    await exhaust('cleo');
    expect((await tryFrom(second.known, 'ada', password)).status).toBe(303);
    expect((await tryFrom(second.known, 'bob', password)).status).toBe(303);
    expect((await tryFrom(second.known, 'cleo', password)).status).toBe(429);
  });

  it('is unknown with a changed cookie', async () => {
    const { known } = await signInFrom('', 'ada');
    await exhaust('ada');
    const [value = '', proof = ''] = known.split('; ');
    expect((await tryFrom(`${value}x; ${proof}`, 'ada', password)).status).toBe(429);
    expect((await tryFrom(value, 'ada', password)).status).toBe(429);
  });

  it('is unknown after a newer sign-in there, and after twenty other browsers', async () => {
    await network.createAccount('dora');
    const first = await signInFrom('', 'dora');
    const renewed = await signInFrom(first.known, 'dora');
    const rows =
      'SELECT FROM authority.known_browser JOIN authority.account USING (actor_id) WHERE handle = $1';
    expect((await query(rows, ['dora'])).rowCount).toBe(1);
    await exhaust('dora');
    expect((await tryFrom(first.known, 'dora', password)).status).toBe(429);
    await query('DELETE FROM limits.used');
    // A try counts until it succeeds: more than ten at once would be refused.
    for (let round = 0; round < 4; round++) await times(5, () => signInFrom('', 'dora'));
    expect((await query(rows, ['dora'])).rowCount).toBe(20);
    await exhaust('dora');
    expect((await tryFrom(renewed.known, 'dora', password)).status).toBe(429);
  });

  it.each(['a change of the password', 'a sign-out everywhere', 'an erasure'])(
    'is unknown after %s',
    async (what) => {
      const handle = `person_${randomUUID().slice(0, 8)}`;
      const actorId = await network.createAccount(handle);
      const [here, other] = [await signInFrom('', handle), await signInFrom('', handle)];
      const page = await ask('GET', '/api/auth/account', { accept: 'text/html', cookie: here.session });
      const formTo = (end: string) => formsOf(page.body).find(({ action }) => action.endsWith(end));
      const submit = (end: string, fields: Record<string, string>) =>
        ask(
          'POST',
          formTo(end)?.action ?? '',
          {
            cookie: here.session,
            origin: network.baseUrl,
            'content-type': 'application/x-www-form-urlencoded',
          },
          new URLSearchParams({ ...formTo(end)?.fields, ...fields }).toString(),
        );
      const next = 'another good password';
      const ends: Record<string, () => Promise<unknown>> = {
        'a change of the password': () => submit('/password', { current: password, new: next }),
        'a sign-out everywhere': () => submit('/sign-out-everywhere', {}),
        'an erasure': () =>
          network
            .app()
            .get(CommandBus)
            .execute(new EraseAccount(actorId, { requestId: 'r' })),
      };
      await ends[what]?.();
      const left = await query('SELECT FROM authority.known_browser WHERE actor_id = $1', [actorId]);
      expect(left.rowCount).toBe(what === 'a change of the password' ? 1 : 0);
      await exhaust(handle);
      for (const secret of [password, next])
        expect((await tryFrom(other.known, handle, secret)).status).toBe(429);
    },
  );

  it('is unknown after a change of the password by the release before, which leaves its row', async () => {
    const actorId = await network.createAccount('erin');
    const { known } = await signInFrom('', 'erin');
    await network.createAccount('finn');
    await query(
      `UPDATE authority.credential SET password_hash = (
         SELECT password_hash FROM authority.credential JOIN authority.account USING (actor_id) WHERE handle = 'finn')
       WHERE actor_id = $1`,
      [actorId],
    );
    await exhaust('erin');
    expect((await tryFrom(known, 'erin', password)).status).toBe(429);
  });

  it('is answered like any other', async () => {
    const { known } = await signInFrom('', 'ada');
    const transcriptOf = async (cookie: string, handle: string) => {
      await query('DELETE FROM limits.used');
      const answers = [];
      for (let count = 0; count < 12; count++) {
        const { status, headers, body } = await tryFrom(cookie, handle, WRONG);
        const { date: _date, 'set-cookie': _cookies, ...others } = headers;
        answers.push(
          `${status} ${JSON.stringify(others)} ${body}`
            .replaceAll(varyingParts, 'OTHER')
            .replaceAll(handle, 'HANDLE'),
        );
      }
      return answers;
    };
    const fromKnown = await transcriptOf(known, 'ada');
    expect(await transcriptOf('', 'ada')).toEqual(fromKnown);
    expect(await transcriptOf(known, 'xyz')).toEqual(fromKnown);
  });
});

describe('wrong passwords', () => {
  it('are shown on the account page by day, without those that a limit refused', async () => {
    const handle = `person_${randomUUID().slice(0, 8)}`;
    const actorId = await network.createAccount(handle);
    const { known, session } = await signInFrom('', handle);
    const pageOf = async () => {
      const { body } = await ask('GET', '/api/auth/account', { accept: 'text/html', cookie: session });
      return [...body.matchAll(/<time datetime="(\d{4}-\d\d-\d\d)">.*?<dd>(.*?)<\/dd>/gs)].map(
        ([, day, tries]) => [day, tries],
      );
    };
    expect(await pageOf()).toEqual([]);
    await times(12, () => tryFrom('', handle, WRONG));
    await tryFrom(known, handle, WRONG);
    const today = new Date().toISOString().slice(0, 10);
    await until(async () => (await pageOf())[0]?.[1] === '11 times');
    await query(`INSERT INTO authority.wrong_password VALUES ($1, $2::date - 1, 1), ($1, $2::date - 30, 7)`, [
      actorId,
      today,
    ]);
    const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
    expect(await pageOf()).toEqual([
      [today, '11 times'],
      [yesterday, 'once'],
    ]);
  });
});

describe('attempts from one address', () => {
  it('are limited to a hundred in ten minutes, and after that do not count for the account', async () => {
    const submit = await open();
    await submit('eve', WRONG);
    await query('UPDATE limits.used SET points = 99');
    expect((await submit('ada', WRONG)).status).toBe(400);
    const refused = await submit('ada', WRONG);
    expect(refused.status).toBe(429);
    expect(refused.headers['ratelimit']).toMatch(/^"address";r=0;t=\d+$/);
    await query('DELETE FROM limits.used WHERE points > 99');
    expect((await submit('ada', WRONG)).headers['ratelimit']).toContain('"account";r=8;');
  });

  it('are counted by the peer address of the connection, whatever the request says', async () => {
    const submit = await open();
    await submit('eve', WRONG, { 'x-forwarded-for': '203.0.113.9' });
    const second = await submit('eve', WRONG, { 'x-forwarded-for': '203.0.113.10' });
    expect(second.headers['ratelimit']).toContain('"address";r=98;');
  });

  it('leave neither handle nor address in the database', async () => {
    const submit = await open();
    await submit('ada', WRONG);
    const { rows } = await query('SELECT key FROM limits.used');
    expect(rows).toHaveLength(2);
    for (const { key } of rows) expect(key).toMatch(/^[\w-]{43}$/);
  });
});

describe('behind a trusted proxy, attempts', () => {
  beforeAll(() => network.restartServer({ TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' }));
  afterAll(() => network.restartServer());

  const left = (tried: Attempted) =>
    Number(/"address";r=(\d+);/.exec(String(tried.headers['ratelimit']))?.[1]);

  it('are counted by the forwarded address', async () => {
    const submit = await open();
    const from = async (address: string) => left(await submit('eve', WRONG, { 'x-forwarded-for': address }));
    expect(await from('203.0.113.9')).toBe(99);
    expect(await from('203.0.113.10')).toBe(99);
    // A trusted proxy appends to the header, so only the end of it is trusted.
    expect(await from('203.0.113.11, 203.0.113.9')).toBe(98);
    expect(await from('203.0.113.9, 10.1.2.3')).toBe(97);
    expect(await from('::ffff:203.0.113.9')).toBe(96);
    expect(await from('2001:db8::1')).toBe(99);
    expect(await from('2001:db8:0:0:ffff::2')).toBe(98);
    expect(await from('2001:db8:0:1::1')).toBe(99);
  });

  it.each<[string, Headers]>([
    ['no address', {}],
    ['its own address', { 'x-forwarded-for': '127.0.0.1' }],
    ['the address of another trusted proxy', { 'x-forwarded-for': '10.1.2.3' }],
    ['text that is no address', { 'x-forwarded-for': 'unknown' }],
    ['an address and a port', { 'x-forwarded-for': '203.0.113.9:4711' }],
  ])('are refused if the proxy forwards %s', async (_whom, headers) => {
    const tried = await (await open())('ada', password, headers);
    expect(tried.status).toBe(503);
    expect(tried.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(JSON.parse(tried.body).error).toBe('trusted_address_unavailable');
  });
});

describe('without the table of counters, attempts', () => {
  it('are refused and not counted', async () => {
    const submit = await open();
    const client = await network.database().pool.connect();
    await client.query('BEGIN');
    await client.query('LOCK TABLE limits.used');
    const tried = await submit('ada', password);
    await client.query('ROLLBACK');
    client.release();
    expect(tried.status).toBe(503);
    expect(tried.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(JSON.parse(tried.body).error).toBe('pilot_limits_unavailable');
    expect((await submit('ada', password)).status).toBe(303);
  });
});

describe('with limits off, attempts', () => {
  beforeAll(() => network.restartServer({ RATE_LIMITS: 'off' }));

  it('are never refused, and answers have no limit headers', async () => {
    const submit = await open();
    const tried = await times(15, () => submit('ada', WRONG));
    expect(new Set(statuses(tried))).toEqual(new Set([400]));
    expect(tried[0]?.headers).not.toHaveProperty('ratelimit');
    expect(tried[0]?.headers).not.toHaveProperty('ratelimit-policy');
  });
});
