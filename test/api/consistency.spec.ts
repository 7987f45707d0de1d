import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { requestAt, startApiProcess } from '../support/api-process.js';
import type { ProcessAnswer, ApiProcess, ProcessRequest } from '../support/api-process.js';
import { registerApplication, untilAvailable } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { freezeWorker, thawWorker } from '../support/signals.js';
import { until } from '../support/until.js';

let network: TestNetwork;
let second: ApiProcess;
let ports: readonly number[];
let alice: SignedIn;
let bob: SignedIn;

beforeAll(async () => {
  network = await lentNetwork();
  second = await startApiProcess(network);
  ports = [Number(new URL(network.baseUrl).port), second.port];
  const application = await registerApplication(network);
  const someone = () => personWithToken(network, application, allScopes.join(' '));
  [alice, bob] = [await someone(), await someone()];
});

afterEach(() => thawWorker(network));

afterAll(async () => {
  await second?.stop();
  await network?.stop();
});

let requests = 0;

/** Alternates between the two processes, as a round-robin load balancer does. */
const ask = (method: string, path: string, asking: ProcessRequest = {}): Promise<ProcessAnswer> =>
  requestAt(network, ports[requests++ % ports.length] ?? 0, method, path, asking);

/** A 503 means that the worker is behind on a busy machine: applications ask again. An old answer is never given. */
async function read(by: SignedIn, path: string) {
  const { body } = await untilAvailable(() => ask('GET', path, { by }));
  return body;
}

/** Returns the body and the write revision of a successful mutation. */
async function write(by: SignedIn, method: string, path: string, fields: object = {}) {
  const { status, headers, body } = await ask(method, path, {
    by,
    body: { intentId: randomUUID(), ...fields },
  });
  expect([status, body.error]).toEqual([200, undefined]);
  return { ...body, revision: Number(headers['x-network-write-revision']) };
}

const say = async (by: SignedIn, text: string, fields: object = {}) =>
  write(by, 'POST', '/api/posts', { text, audience: 'public', ...fields });

async function endOrDelete(
  by: SignedIn,
  path: string,
  parameters: Record<string, string> = {},
): Promise<void> {
  const query = new URLSearchParams({ intentId: randomUUID(), ...parameters });
  const { status, body } = await ask('DELETE', `${path}?${query.toString()}`, { by });
  expect([status, body.error]).toEqual([200, undefined]);
}

const revisionOf = ({ headers }: ProcessAnswer) => Number(headers['x-network-revision']);

/** Acts of a person. Each is verified by the person's next read, from the other process. */
const acts: readonly (readonly [string, (n: number) => Promise<void>])[] = [
  [
    'a post',
    async (n) => {
      const { post } = await say(alice, `number ${n}`);
      expect((await read(alice, '/api/reconcile')).ownPosts[0].id).toBe(post.id);
    },
  ],
  [
    'a reply',
    async (n) => {
      const { post } = await say(bob, 'what do you think?');
      const { post: reply } = await say(alice, `this: ${n}`, { parentId: post.id });
      const { posts } = await read(alice, `/api/posts/${post.id}/replies`);
      expect(posts.map(({ id }: { id: string }) => id)).toEqual([reply.id]);
    },
  ],
  [
    'an edit',
    async (n) => {
      const { post } = await say(alice, 'soon otherwise');
      await write(alice, 'PATCH', `/api/posts/${post.id}`, { revision: 1, text: `otherwise ${n}` });
      const shown = await read(alice, `/api/posts/${post.id}`);
      expect(shown.post).toMatchObject({ text: `otherwise ${n}`, revision: 2, edited: true });
    },
  ],
  [
    'a deletion',
    async () => {
      const { post } = await say(alice, 'soon gone');
      await endOrDelete(alice, `/api/posts/${post.id}`, { revision: '1' });
      expect((await read(alice, `/api/posts/${post.id}`)).error).toBe('post_unavailable');
    },
  ],
  [
    'a follow and its end',
    async () => {
      const path = `/api/relations/follow/${bob.actorId}`;
      const { relation } = await write(alice, 'PUT', path);
      expect((await read(alice, '/api/relations')).relations[0]).toEqual(relation);
      await endOrDelete(alice, path);
      expect((await read(alice, '/api/relations')).relations).toEqual([]);
    },
  ],
  [
    'a like and its end',
    async () => {
      const { post } = await say(bob, 'likeable');
      const { relation } = await write(alice, 'PUT', `/api/relations/like/${post.id}`);
      expect((await read(alice, '/api/relations')).relations).toEqual([relation]);
      await endOrDelete(alice, `/api/relations/like/${post.id}`);
      expect((await read(alice, '/api/relations')).relations).toEqual([]);
    },
  ],
  [
    'a block and its end',
    async () => {
      await write(alice, 'PUT', `/api/blocks/${bob.actorId}`);
      expect((await read(alice, '/api/blocks')).blocks).toEqual([bob.actorId]);
      expect((await read(alice, `/api/actors/${bob.actorId}`)).error).toBe('not_found');
      await endOrDelete(alice, `/api/blocks/${bob.actorId}`);
      expect((await read(alice, `/api/actors/${bob.actorId}`)).actor.actorId).toBe(bob.actorId);
    },
  ],
  [
    'a read mark in the inbox',
    async () => {
      const { post } = await say(alice, 'answer me');
      await say(bob, 'here', { parentId: post.id });
      const { inbox } = await until(async () => {
        const answer = await read(alice, '/api/inbox?limit=1');
        return answer.inbox[0]?.readAt === undefined && answer.inbox.length > 0 && answer;
      });
      const { unread } = await write(alice, 'POST', '/api/inbox/read', { ids: [inbox[0].id] });
      const after = await read(alice, '/api/inbox?limit=1');
      expect([after.unread, after.inbox[0].readAt]).toEqual([unread, expect.any(Number)]);
    },
  ],
  [
    'a change of their profile',
    async (n) => {
      const { revision } = (await read(alice, '/api/profile')).profile;
      const { profile } = await write(alice, 'PATCH', '/api/profile', { revision, bio: `bio ${n}` });
      expect((await read(alice, '/api/profile')).profile).toEqual(profile);
    },
  ],
];

describe('a person who writes through one API process and reads through another', () => {
  it.each(acts)('reads %s at once', async (_what, isShown) => {
    for (let n = 0; n < 15; n++) await expect(isShown(n)).resolves.toBeUndefined();
  });

  it('gets 503 until the worker has applied the write', async () => {
    freezeWorker(network);
    const { revision } = await say(alice, 'slowly');
    for (let n = 0; n < 2; n++) {
      const { status, body, headers } = await ask('GET', '/api/reconcile', { by: alice });
      expect([status, body.error]).toEqual([503, 'protected_read_unavailable']);
      expect(headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
    }
    thawWorker(network);
    const answer = await untilAvailable(() => ask('GET', '/api/reconcile', { by: alice }));
    expect(answer.status).toBe(200);
    expect(revisionOf(answer)).toBeGreaterThanOrEqual(revision);
    expect(answer.body.ownPosts[0].text).toBe('slowly');
  });
});

describe('while other people write', () => {
  /** Writes through both processes until `work` ends. */
  async function duringWrites(work: () => Promise<void>): Promise<{ id: string; revision: number }[]> {
    const written: { id: string; revision: number }[] = [];
    const over = new AbortController();
    const writing = Array.from({ length: 3 }, async (_, writer) => {
      while (!over.signal.aborted && written.length < 80) {
        const { post, revision } = await say(bob, `by writer ${writer}`);
        written.push({ id: post.id, revision });
      }
    });
    await work().finally(() => over.abort());
    await Promise.all(writing);
    return written;
  }

  it('the revision that a caller sees never decreases, whichever process answers', async () => {
    await duringWrites(async () => {
      for (let n = 0, newest = 0; n < 100; n++) {
        const answer = await ask('GET', n % 3 === 0 ? '/api/profile' : '/api/reconcile', { by: alice });
        expect(answer.status).toBe(200);
        expect(revisionOf(answer)).toBeGreaterThanOrEqual(newest);
        newest = revisionOf(answer);
      }
    });
  });

  it('the headers of a read describe exactly its body [header-revision]', async () => {
    const views: ProcessAnswer[] = [];
    const written = await duringWrites(async () => {
      for (let n = 0; n < 60; n++) views.push(await ask('GET', '/api/reconcile', n % 2 ? {} : { by: bob }));
    });
    for (const view of views) {
      expect(view.body.cursor).toBe(revisionOf(view));
      const shown = new Set(view.body.posts.map(({ id }: { id: string }) => id));
      for (const { id, revision } of written)
        expect([revision, shown.has(id)]).toEqual([revision, revision <= revisionOf(view)]);
    }
  });

  it('the headers of a read name its caller, and nobody for an anonymous read [header-actor-id, header-app-id, header-grant-id, header-scopes, credentials-bound, service-bearer]', async () => {
    const { body: session, headers } = await ask('GET', '/api/session', { by: alice });
    expect(headers).toMatchObject({
      'x-network-incarnation': session.incarnation,
      'x-network-actor-id': alice.actorId,
      'x-network-app-id': alice.appId,
      'x-network-grant-id': session.grantId,
      'x-network-scopes': session.scopes.join(' '),
    });
    const names = Object.keys((await ask('GET', '/api/reconcile')).headers);
    expect(names.filter((name) => /^x-network-(actor|app|grant|scopes)/.test(name))).toEqual([]);
  });
});

describe('x-network-min-revision', () => {
  const atLeast = (revision: number | string, by: SignedIn | undefined = bob) =>
    ask('GET', '/api/reconcile', { by, headers: { 'x-network-min-revision': String(revision) } });

  it('is met when the read models are at this revision or a later one', async () => {
    const { revision } = await say(alice, 'met');
    for (const minimum of [0, 1, revision, revision]) {
      const answer = await atLeast(minimum);
      expect(answer.status).toBe(200);
      expect(revisionOf(answer)).toBeGreaterThanOrEqual(revision);
    }
  });

  it('makes a read wait, of every caller', async () => {
    for (const by of [bob, undefined])
      await until(async () => {
        freezeWorker(network);
        const { revision, post } = await say(alice, 'waited for');
        const reading = [atLeast(revision, by), atLeast(revision, by)];
        thawWorker(network);
        const answers = await Promise.all(reading);
        // On a busy machine the worker may need longer than a read waits: that is refused, and tried again here.
        if (answers.some(({ body }) => body.error === 'protected_read_unavailable')) return false;
        for (const answer of answers)
          expect([answer.status, revisionOf(answer) >= revision]).toEqual([200, true]);
        const { body } = await ask('GET', `/api/posts/${post.id}`, { by });
        expect(body.post.text).toBe('waited for');
        return true;
      });
  });

  it('is refused with Retry-After if it stays out of reach', async () => {
    const { revision } = await say(alice, 'the newest');
    for (const minimum of [revision + 1, '9'.repeat(19)]) {
      const { status, body, headers } = await atLeast(minimum);
      expect([status, body.error]).toEqual([503, 'protected_read_unavailable']);
      expect(headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
    }
  });

  it.each(['', 'abc', '-1', '1.5', '0x10', '1e3', '1, 2', '9'.repeat(20)])(
    'is refused with the value %j',
    async (minimum) => {
      const { status, body } = await atLeast(minimum);
      expect([status, body.error]).toEqual([400, 'invalid_request']);
    },
  );
});
