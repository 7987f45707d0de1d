import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { MAX_OUTSTANDING_RESTRICTIONS } from '../../src/log/witness/outstanding-restrictions.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Application, SignedIn } from '../support/api.js';
import { requestAt, startApiProcess } from '../support/api-process.js';
import type { ProcessAnswer, ApiProcess } from '../support/api-process.js';
import { openEventStream } from '../support/event-stream.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { freezeWorker, signal, thawWorker } from '../support/signals.js';
import { until } from '../support/until.js';
import { ShownPosts } from './support/shown-posts.js';

/** An unknown epoch in this table would cause a quarantine. */
const NO_EPOCH = 0;

let network: TestNetwork;
let second: ApiProcess;
let database: Client;
let application: Application;
/** Alice restricts, Bob reads. Both are new for each test. */
let alice: SignedIn;
let bob: SignedIn;
/** Of a thread of Bob, Alice and Bob, and a later post of Alice. All posts are projected. */
let reply: string;
let answer: string;
let later: string;
/** Bob's cursor before these posts. */
let cursor: number;
/** Reads of Alice's reply. */
let shown: ShownPosts;

beforeAll(async () => {
  network = await lentNetwork();
  second = await startApiProcess(network);
  database = new Client({ connectionString: network.env['DATABASE_URL'] });
  await database.connect();
  application = await registerApplication(network);
});

beforeEach(async () => {
  const someone = () => personWithToken(network, application, allScopes.join(' '));
  [alice, bob] = [await someone(), await someone()];
  await act(bob, 'PUT', `/api/relations/follow/${alice.actorId}`);
  ({ cursor } = (await ask(0, 'GET', '/api/reconcile', bob)).body);
  const question = await say(bob, 'a question');
  reply = await say(alice, 'a reply', question);
  answer = await say(bob, 'an answer', reply);
  await act(bob, 'PUT', `/api/relations/like/${reply}`);
  later = await say(alice, 'something else');
  const read = (path: string, by: SignedIn | undefined) => ask(0, 'GET', path, by);
  shown = new ShownPosts(read, bob, { id: reply, parentId: question, authorActorId: alice.actorId }, cursor);
  await ask(0, 'GET', '/api/reconcile', alice);
  freezeWorker(network);
});

afterEach(() => thawWorker(network));

afterAll(async () => {
  await database?.end();
  await second?.stop();
  await network?.stop();
});

const ask = (
  process: 0 | 1,
  method: string,
  path: string,
  by?: SignedIn,
  body?: object,
): Promise<ProcessAnswer> =>
  requestAt(network, process === 0 ? Number(new URL(network.baseUrl).port) : second.port, method, path, {
    by,
    body,
  });

/** The second process writes, and the first one is read. */
async function act(by: SignedIn, method: string, path: string, fields: object = {}) {
  const { status, body } = await ask(1, method, path, by, { intentId: randomUUID(), ...fields });
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
}

const say = async (by: SignedIn, text: string, parentId?: string): Promise<string> =>
  (await act(by, 'POST', '/api/posts', { text, audience: 'public', ...(parentId && { parentId }) })).post.id;

const deletePost = (process: 0 | 1, postId: string, intentId: string) =>
  ask(process, 'DELETE', `/api/posts/${postId}?intentId=${intentId}&revision=1`, alice);

const deleteSuccessfully = async (postId: string) =>
  expect((await deletePost(1, postId, randomUUID())).body.post?.status).toBe('deleted');

const outcomeOf = ({ status, body }: ProcessAnswer) => [status, body.error];

/** Bob likes and answers a post at each process: the answers that he gets. */
async function likeAndReplyTo(postId: string): Promise<unknown[]> {
  const outcomes = [];
  for (const process of [0, 1] as const) {
    const intent = () => ({ intentId: randomUUID() });
    const fields = { ...intent(), text: 'too late', audience: 'public', parentId: postId };
    outcomes.push(
      outcomeOf(await ask(process, 'PUT', `/api/relations/like/${postId}`, bob, intent())),
      outcomeOf(await ask(process, 'POST', '/api/posts', bob, fields)),
    );
  }
  return outcomes;
}

const refusals = [
  [403, 'interaction_unavailable'],
  [404, 'parent_unavailable'],
];

const countOutstanding = async (): Promise<number> => {
  const { rows: found } = await database.query('SELECT FROM recovery.outstanding_restriction');
  return found.length;
};

describe('while the worker is frozen', () => {
  it('every read shows a post without a restriction', async () => {
    expect(await shown.pathsShowingToAnybody(reply)).toEqual([...shown.paths, ...shown.pathsOfAnybody]);
  });

  it('reads of another process hide a deleted post from everybody, and show everything else', async () => {
    await deleteSuccessfully(reply);
    expect(await shown.pathsShowingToAnybody(reply)).toEqual([]);
    const { body } = await ask(0, 'GET', `/api/posts/${answer}`, bob);
    expect(body.post).toMatchObject({ parentUnavailable: true, rootUnavailable: false });
    expect(await shown.pathsShowing(later, ['/api/timeline', '/api/reconcile'], bob)).toHaveLength(2);
  });

  it('an event stream does not send a deleted post', async () => {
    await deleteSuccessfully(reply);
    const headers = { authorization: `Bearer ${bob.token}` };
    const stream = await openEventStream(network.baseUrl, { path: `/api/events?cursor=${cursor}`, headers });
    try {
      // A later event has arrived, so the deleted post would have arrived, too.
      await until(() => stream.messages.some(({ data = '' }) => data.includes(`"${later}"`)));
      expect(stream.messages.filter(({ data = '' }) => data.includes(`"id":"${reply}"`))).toEqual([]);
    } finally {
      stream.close();
    }
  });

  it('a deleted post can be neither replied to nor liked', async () => {
    // Nobody has liked or answered it: with rows alone, both would be allowed.
    await deleteSuccessfully(later);
    expect(await likeAndReplyTo(later)).toEqual([...refusals, ...refusals]);
  });

  it('a block hides the two people from each other, and commands respect it', async () => {
    await act(alice, 'PUT', `/api/blocks/${bob.actorId}`);
    expect(await shown.pathsShowing(reply, shown.paths, bob)).toEqual([]);
    expect(await shown.pathsShowing(later, ['/api/timeline', '/api/reconcile'], bob)).toEqual([]);
    for (const list of ['', '/posts', '/followers', '/following'])
      expect((await ask(0, 'GET', `/api/actors/${alice.actorId}${list}`, bob)).status).toBe(404);
    // The blocker's own reads wait for their own write.
    expect(outcomeOf(await ask(0, 'GET', `/api/actors/${bob.actorId}`, alice))).toEqual([
      503,
      'protected_read_unavailable',
    ]);
    expect(await shown.pathsShowing(reply, shown.pathsOfAnybody)).toEqual(shown.pathsOfAnybody);

    const intent = () => ({ intentId: randomUUID() });
    for (const [by, path] of [
      [bob, `/api/relations/follow/${alice.actorId}`],
      [alice, `/api/relations/follow/${bob.actorId}`],
    ] as const)
      expect(outcomeOf(await ask(0, 'PUT', path, by, intent()))).toEqual([403, 'interaction_unavailable']);
    expect(await likeAndReplyTo(later)).toEqual([...refusals, ...refusals]);
  });

  it('a suspended person and their posts are hidden from everybody', async () => {
    await operatorOf(network).post('accounts/:id/suspend', { id: alice.actorId, reason: 'a test' });
    expect(await shown.pathsShowingToAnybody(reply)).toEqual([]);
    expect((await ask(0, 'GET', `/api/actors/${alice.actorId}`)).status).toBe(404);
    expect(await likeAndReplyTo(later)).toEqual([...refusals, ...refusals]);
    const follow = `/api/relations/follow/${alice.actorId}`;
    expect(outcomeOf(await ask(0, 'PUT', follow, bob, { intentId: randomUUID() }))).toEqual([
      403,
      'interaction_unavailable',
    ]);
  });

  it('a post restricted by an operator is hidden from everybody', async () => {
    await operatorOf(network).post('posts/:id/restrict', { id: reply, reason: 'a test' });
    expect(await shown.pathsShowingToAnybody(reply)).toEqual([]);
    await operatorOf(network).post('posts/:id/restrict', { id: later, reason: 'a test' });
    expect(await likeAndReplyTo(later)).toEqual([...refusals, ...refusals]);
  });

  it('what the read models do not show yet can be answered and liked', async () => {
    const unseen = await say(alice, 'just now');
    const taken = [200, undefined];
    expect(await likeAndReplyTo(unseen)).toEqual([taken, taken, taken, taken]);
  });

  it('a person is hidden from everybody before their erasure is complete', async () => {
    await expect(
      operatorOf(network).post('accounts/:id/erase', { id: alice.actorId, delayMs: 0, reason: 'a test' }),
    ).rejects.toThrow('Reads no longer show it');
    expect(await shown.pathsShowingToAnybody(reply)).toEqual([]);
  });
});

describe('when the worker resumes', () => {
  it('a deleted post stays hidden, and no outstanding restriction is left', async () => {
    await deleteSuccessfully(reply);
    expect(await countOutstanding()).toBe(1);
    thawWorker(network);
    await until(async () => (await countOutstanding()) === 0);
    expect(await shown.pathsShowingToAnybody(reply)).toEqual([]);
  });

  it('a block that was ended in the meantime hides nothing', async () => {
    await act(alice, 'PUT', `/api/blocks/${bob.actorId}`);
    const query = `intentId=${randomUUID()}`;
    expect((await ask(1, 'DELETE', `/api/blocks/${bob.actorId}?${query}`, alice)).status).toBe(200);
    thawWorker(network);
    const { status } = await ask(0, 'GET', `/api/actors/${bob.actorId}`, alice);
    expect(status).toBe(200);
    expect((await ask(0, 'GET', `/api/actors/${alice.actorId}`, bob)).status).toBe(200);
  });
});

describe('a restriction that is neither in the read models nor in the table of outstanding ones', () => {
  /** Readers are not blocked. */
  const lockTable = () =>
    database.query('BEGIN; LOCK TABLE recovery.outstanding_restriction IN EXCLUSIVE MODE');
  const unlockTable = () => database.query('ROLLBACK');

  it('is answered with ambiguous_acceptance_requires_independent_proof, and a retry with the same intent succeeds', async () => {
    const intentId = randomUUID();
    await lockTable();
    const refused = await deletePost(1, reply, intentId);
    await unlockTable();
    expect(outcomeOf(refused)).toEqual([503, 'ambiguous_acceptance_requires_independent_proof']);
    expect(refused.headers['retry-after']).toMatch(/^[1-9]/);
    const { status, body } = await deletePost(0, reply, intentId);
    expect([status, body.post?.status]).toEqual([200, 'deleted']);
    expect(await shown.pathsShowingToAnybody(reply)).toEqual([]);
  });

  it('is not acknowledged by a process that dies first, and a retry on another process succeeds', async () => {
    const intentId = randomUUID();
    await lockTable();
    let end: unknown;
    const ended = deletePost(0, reply, intentId).then(
      (answer) => (end = answer),
      () => (end = 'cut off'),
    );
    await until(async () => {
      const { rows: waiting } = await database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0 || end;
    });
    expect(end).toBeUndefined();
    signal(network, 'api', 'SIGKILL');
    expect(await ended).toBe('cut off');
    await unlockTable();
    const { status, body } = await deletePost(1, reply, intentId);
    expect([status, body.post?.status]).toEqual([200, 'deleted']);
    await until(() => ask(0, 'GET', '/livez').catch(() => undefined));
    expect(await shown.pathsShowingToAnybody(reply)).toEqual([]);
  });

  it('is refused if too many are outstanding, and a retry succeeds', async () => {
    const intentId = randomUUID();
    await database.query(
      `INSERT INTO recovery.outstanding_restriction
      SELECT gen_random_uuid(), ${NO_EPOCH}, n, 'post:' || n FROM generate_series(1, $1::integer) n`,
      [MAX_OUTSTANDING_RESTRICTIONS],
    );
    const refused = await deletePost(1, reply, intentId);
    await database.query('DELETE FROM recovery.outstanding_restriction');
    expect(outcomeOf(refused)).toEqual([503, 'ambiguous_acceptance_requires_independent_proof']);
    expect((await deletePost(1, reply, intentId)).status).toBe(200);
    expect(await shown.pathsShowingToAnybody(reply)).toEqual([]);
  });
});

it('reads are refused while an outstanding restriction has an unknown subject, and the log decides on likes and replies', async () => {
  // With the rows alone, both would be allowed.
  await deleteSuccessfully(later);
  await database.query(`UPDATE recovery.outstanding_restriction SET subject = 'thing:x', position = $1`, [
    Number.MAX_SAFE_INTEGER,
  ]);
  expect(await likeAndReplyTo(later)).toEqual([...refusals, ...refusals]);
  for (const by of [bob, undefined])
    expect(outcomeOf(await ask(0, 'GET', `/api/posts/${reply}`, by))).toEqual([
      503,
      'protected_read_unavailable',
    ]);
  await database.query('DELETE FROM recovery.outstanding_restriction');
  expect((await ask(0, 'GET', `/api/posts/${reply}`, bob)).status).toBe(200);
});
