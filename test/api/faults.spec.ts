/** @waits */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { Client } from 'pg';
import { childProcessIds } from '../../src/launch/processes.js';
import { openLog } from '../../src/log/open-log.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { discover } from '../auth/support/flow.js';
import { registerApplication, send, signIn } from '../support/api.js';
import type { Answer, Application, SignedIn } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';

let network: TestNetwork;
let application: Application;
let alice: SignedIn;
let bob: SignedIn;
const frozen = new Set<number>();

beforeAll(async () => {
  // With limits, so that the refusals of uncounted requests are covered, too.
  network = await startNetwork({ RATE_LIMITS: 'on' });
  application = await registerApplication(network);
  alice = await signIn(network, application);
  bob = await signIn(network, application);
});

afterEach(thaw);

afterAll(async () => {
  thaw();
  await network?.stop();
});

function freeze(name: 'eventStore' | 'worker'): void {
  const pid = network.pids()[name];
  if (pid === undefined) throw new Error(`${name} does not run`);
  process.kill(pid, 'SIGSTOP');
  frozen.add(pid);
}

function thaw(): void {
  for (const pid of frozen) process.kill(pid, 'SIGCONT');
  frozen.clear();
}

async function connectToDatabase(): Promise<Client> {
  const client = new Client({ connectionString: network.env['DATABASE_URL'] });
  await client.connect();
  return client;
}

async function queryDatabase<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = await connectToDatabase();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

async function append(stream: string, expected: bigint, event: StoredEvent): Promise<void> {
  const opened = await openLog({
    eventStoreUrl: network.env['EVENTSTORE_URL'] ?? '',
    vaultDatabaseUrl: network.env['VAULT_DATABASE_URL'] ?? '',
    applicationName: 'test',
  });
  try {
    const events = [{ id: randomUUID(), event }];
    await opened.log.append({ stream, expected, events, metadata: { requestId: 'test' } });
  } finally {
    await opened.close();
  }
}

function expectUnavailable(answer: Answer, code: string): void {
  expect([answer.status, answer.body]).toEqual([503, { error: code, message: expect.any(String) }]);
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
}

const textsOf = ({ body }: Answer): string[] => body.ownPosts.map(({ text }: { text: string }) => text);
const succeeds = async (call: () => Promise<Answer>) => (await call()).status === 200;

describe('a token', () => {
  const outcomesFor = async (person: SignedIn) => {
    const answers = [
      await person.get('/api/profile'),
      await person.say('x'),
      await person.get('/api/reconcile'),
    ];
    return answers.map(({ status, body }) => `${status} ${body.error}`);
  };
  const refused = Array(3).fill('401 invalid_token');

  it('is refused once it has expired', async () => {
    const person = await signIn(network, application);
    await queryDatabase(
      `UPDATE authority.oidc_record SET expires_at = now() - interval '1 second' WHERE grant_id = $1`,
      [(await person.get('/api/session')).body.grantId],
    );
    expect(await outcomesFor(person)).toEqual(refused);
  });

  it('is refused once it is revoked', async () => {
    const person = await signIn(network, application);
    const client = await discover({ issuer: `${network.baseUrl}/api/auth` }, application);
    await oidc.tokenRevocation(client, person.token);
    expect(await outcomesFor(person)).toEqual(refused);
  });

  it('of a suspended account has no authority', async () => {
    const person = await signIn(network, application);
    await queryDatabase(`UPDATE authority.account SET state = 'suspended' WHERE actor_id = $1`, [
      person.actorId,
    ]);
    for (const answer of [await person.get('/api/profile'), await person.say('x')])
      expect([answer.status, answer.body.error]).toEqual([403, 'social_authority_required']);
  });
});

it('a read that is admitted and then fails has the common headers of its admission', async () => {
  const person = await signIn(network, application);
  const [counters, tokens] = [await connectToDatabase(), await connectToDatabase()];
  try {
    await counters.query('BEGIN; LOCK TABLE limits.used');
    const answer = person.get('/api/profile', { 'x-network-min-revision': '999999999999' });
    // The first statement has admitted the caller, and the read waits to be counted.
    const waiting = `SELECT FROM pg_locks WHERE relation = 'limits.used'::regclass AND NOT granted`;
    await until(async () => (await queryDatabase(waiting)).length > 0);
    await tokens.query('BEGIN; LOCK TABLE authority.oidc_record');
    await counters.query('ROLLBACK');
    const { status, body, headers } = await answer;
    expect([status, body.error]).toEqual([503, 'protected_read_storage_unavailable']);
    expect(headers.get('x-network-actor-id')).toBe(person.actorId);
    expect(headers.get('x-network-incarnation')).toBeTruthy();
    expect(headers.get('x-network-revision')).toMatch(/^[0-9]+$/);
  } finally {
    await Promise.all([counters.end(), tokens.end()]);
  }
});

it.each([
  ['like', (by: SignedIn, id: string) => by.put(`/api/relations/like/${id}`, { intentId: randomUUID() })],
  ['reply', (by: SignedIn, id: string) => by.say('in vain', { parentId: id })],
])('a %s that is admitted and then has no read store is refused, with nothing written', async (_, act) => {
  const person = await personWithToken(network, application, 'openid read post:create relation:write');
  const postId = (await bob.say('without an answer')).body.post.id;
  const [{ name: schema } = { name: '' }] = await queryDatabase<{ name: string }>(
    'SELECT schema_name AS name FROM recovery.publication JOIN recovery.incarnation USING (incarnation)',
  );
  const [posts, accounts] = [await connectToDatabase(), await connectToDatabase()];
  try {
    await posts.query(`BEGIN; LOCK TABLE ${schema}.post`);
    let isAnswered = false;
    const answer = act(person, postId).finally(() => (isAnswered = true));
    const waiting = `SELECT pid FROM pg_locks WHERE relation = '${schema}.post'::regclass AND NOT granted`;
    await until(async () => (await queryDatabase(waiting)).length > 0);
    await accounts.query('BEGIN; LOCK TABLE authority.account');
    await until(async () => {
      await queryDatabase('SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted');
      return isAnswered;
    });
    expectUnavailable(await answer, 'authority_unavailable');
  } finally {
    await Promise.all([posts.end(), accounts.end()]);
  }
  await until(() => succeeds(() => person.say('known again')));
  const view = await person.get('/api/reconcile');
  expect([textsOf(view), view.body.relations]).toEqual([['known again'], []]);
});

describe('a deleted post', () => {
  it('accepts no replies and is not shown; its replies stay, and its intent returns the deleted state', async () => {
    const creation = { intentId: randomUUID(), text: 'soon gone', audience: 'public' };
    const { body: parent } = await alice.post('/api/posts', creation);
    const { body: reply } = await bob.say('stays', { parentId: parent.post.id });
    const repeatedReply = {
      intentId: randomUUID(),
      text: 'said before',
      audience: 'public',
      parentId: parent.post.id,
    };
    const { body: earlier } = await bob.post('/api/posts', repeatedReply);

    await append(`post-${parent.post.id}`, 0n, {
      type: 'post.deleted',
      data: { postId: parent.post.id, authorActorId: alice.actorId, at: Date.now() },
    });
    await until(async () => !textsOf(await alice.get('/api/reconcile')).includes('soon gone'));

    const refused = await bob.say('too late', { parentId: parent.post.id });
    expect([refused.status, refused.body.error]).toEqual([404, 'parent_unavailable']);
    const replies = await bob.get(`/api/posts/${parent.post.id}/replies`);
    expect([replies.status, replies.body.error]).toEqual([404, 'post_unavailable']);
    const { body: view } = await bob.get('/api/reconcile');
    expect(view.ownPosts).toContainEqual(
      expect.objectContaining({ id: reply.post.id, parentUnavailable: true, rootUnavailable: true }),
    );
    const repeated = await alice.post('/api/posts', creation);
    expect(repeated.body).toEqual({ post: { id: parent.post.id, revision: 2, status: 'deleted' } });
    expect((await bob.post('/api/posts', repeatedReply)).body).toEqual(earlier);
  });
});

describe('with the worker frozen', () => {
  it('writes and reads succeed, and the writer gets no view without the write', async () => {
    freeze('worker');
    const { status } = await alice.say('while the worker sleeps');
    expect(status).toBe(200);
    expect((await bob.get('/api/reconcile')).status).toBe(200);
    expectUnavailable(await alice.get('/api/reconcile'), 'protected_read_unavailable');
    thaw();
    await until(() => succeeds(() => alice.get('/api/reconcile')));
    expect(textsOf(await alice.get('/api/reconcile'))).toContain('while the worker sleeps');
  });
});

describe('with the worker killed', () => {
  it('writes succeed and reads catch up', async () => {
    const pid = network.pids().worker;
    process.kill(pid ?? 0, 'SIGKILL');
    expect((await alice.say('while the worker is dead')).status).toBe(200);
    await until(() => succeeds(() => alice.get('/api/reconcile')));
    expect(textsOf(await alice.get('/api/reconcile'))).toContain('while the worker is dead');
    await until(async () => network.pids().worker !== pid);
  });
});

describe('with the event store frozen', () => {
  it('mutations are refused with Retry-After, reads succeed, and a retry succeeds after the thaw', async () => {
    freeze('eventStore');
    const creation = { intentId: randomUUID(), text: 'into the void', audience: 'public' };
    expectUnavailable(await alice.post('/api/posts', creation), 'domain_storage_unavailable');
    expect((await bob.get('/api/reconcile')).status).toBe(200);
    const { status, body } = await send(network.baseUrl, 'GET', '/readyz');
    expect([status, body.components.eventStore.status]).toEqual([503, 'failed']);
    const page = await fetch(`${network.baseUrl}/readyz`, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await page.text()).toMatch(/<h1>The network is not ready<\/h1>.*>not working</s);
    thaw();
    await until(() => succeeds(() => alice.post('/api/posts', creation)));
    const texts = textsOf(await alice.get('/api/reconcile'));
    expect(texts.filter((text) => text === 'into the void')).toHaveLength(1);
    await until(async () => (await send(network.baseUrl, 'GET', '/readyz')).status === 200);
  });
});

describe('the event store, once it is killed,', () => {
  it('is restarted with all acknowledged writes', async () => {
    await alice.say('before the kill');
    process.kill(network.pids().eventStore ?? 0, 'SIGKILL');
    await until(() => succeeds(() => alice.say('after the kill')));
    await until(() => succeeds(() => alice.get('/api/reconcile')));
    expect(textsOf(await alice.get('/api/reconcile'))).toEqual(
      expect.arrayContaining(['before the kill', 'after the kill']),
    );
  });
});

describe('with Postgres killed', () => {
  it('every operation but the landing page reports it, and succeeds again after the restart', async () => {
    const pid = network.pids().postgres ?? 0;
    process.kill(pid, 'SIGSTOP');
    frozen.add(pid);
    // The backends of a frozen postmaster go on working. Without them nobody can connect.
    for (const backend of childProcessIds(pid)) process.kill(backend, 'SIGKILL');
    expectUnavailable(await alice.get('/api/profile'), 'protected_read_storage_unavailable');
    expectUnavailable(await send(network.baseUrl, 'GET', '/api/reconcile'), 'pilot_storage_unavailable');
    expectUnavailable(await alice.say('nobody knows who I am'), 'authority_unavailable');
    const landing = await fetch(network.baseUrl);
    expect([landing.status, landing.headers.get('ratelimit')]).toEqual([200, null]);
    thaw();
    await until(() => succeeds(() => alice.say('known again')), 60_000);
    await until(() => succeeds(() => alice.get('/api/reconcile')));
    expect(textsOf(await alice.get('/api/reconcile'))).toContain('known again');
  });
});

describe('after kill -9 of all processes', () => {
  it('no acknowledged write is missing, and people are still signed in', async () => {
    const texts = Array.from({ length: 10 }, (_, n) => `acknowledged ${n} ${randomUUID()}`);
    for (const text of texts) expect((await alice.say(text)).status).toBe(200);
    await network.killAll('SIGKILL');
    await network.restart();
    await until(() => succeeds(() => alice.get('/api/reconcile')));
    expect(textsOf(await alice.get('/api/reconcile'))).toEqual(expect.arrayContaining(texts));
    expect((await alice.say('and on')).status).toBe(200);
  });
});
