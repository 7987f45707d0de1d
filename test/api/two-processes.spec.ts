import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { clockAheadBy, requestAt, startApiProcess } from '../support/api-process.js';
import type { ProcessAnswer, ApiProcess } from '../support/api-process.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import type { TcpProxy } from '../support/tcp-proxy.js';
import { freezeWorker, thawWorker } from '../support/signals.js';
import { until } from '../support/until.js';

let network: TestNetwork;
/** Between the second process and the read store. */
let front: TcpProxy;
let second: ApiProcess;
let ports: readonly [number, number];
let database: Client;
let alice: SignedIn;
let bob: SignedIn;

beforeAll(async () => {
  network = await lentNetwork();
  const url = new URL(network.env['DATABASE_URL'] ?? '');
  front = await startTcpProxy(Number(url.port));
  url.port = String(front.port);
  second = await startApiProcess(network, { DATABASE_URL: url.href });
  ports = [Number(new URL(network.baseUrl).port), second.port];
  database = new Client({ connectionString: network.env['DATABASE_URL'] });
  await database.connect();
  const application = await registerApplication(network);
  alice = await personWithToken(network, application);
  bob = await personWithToken(network, application);
});

afterEach(() => thawWorker(network));

afterAll(async () => {
  await database?.end();
  await second?.stop();
  await front?.close();
  await network?.stop();
});

const ask = (
  process: 0 | 1,
  method: string,
  path: string,
  by?: SignedIn,
  body?: object,
): Promise<ProcessAnswer> => requestAt(network, ports[process], method, path, { by, body });

const say = (process: 0 | 1, by: SignedIn, words: string, intentId = randomUUID()) =>
  ask(process, 'POST', '/api/posts', by, { intentId, text: words, audience: 'public' });

const otherProcess = (process: 0 | 1) => (1 - process) as 0 | 1;

describe('two API processes', () => {
  it('show writes of each other as soon as they are acknowledged', async () => {
    for (let n = 0; n < 30; n++) {
      const writer = (n % 2) as 0 | 1;
      const { body: written } = await say(writer, alice, `number ${n}`);
      const { body: view } = await ask(otherProcess(writer), 'GET', '/api/reconcile', alice);
      expect(view.ownPosts[0].id).toBe(written.post.id);
    }
  });

  it('make one post from one intent', async () => {
    for (let n = 0; n < 10; n++) {
      const intentId = randomUUID();
      const answers = await Promise.all(
        ([0, 1, 0, 1] as const).map((to) => say(to, alice, `at once ${n}`, intentId)),
      );
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.post.id}`)).size).toBe(1);
    }
  });

  it('refuse the writer a view without a write that the worker has not applied', async () => {
    freezeWorker(network);
    expect((await say(0, alice, 'not seen yet')).status).toBe(200);
    for (const to of [0, 1] as const) {
      const { status, body } = await ask(to, 'GET', '/api/reconcile', alice);
      expect([status, body.error]).toEqual([503, 'protected_read_unavailable']);
      expect((await ask(to, 'GET', '/api/reconcile', bob)).status).toBe(200);
    }
    thawWorker(network);
    const view = await until(async () => {
      const answer = await ask(1, 'GET', '/api/reconcile', alice);
      return answer.status === 200 && answer.body;
    });
    expect(view.ownPosts[0].text).toBe('not seen yet');
  });
});

it('a process that loses the read store in the middle of a check goes on', async () => {
  front.loseAnswerTo('generate_series');
  const { status, body } = await ask(1, 'GET', '/readyz');
  expect([status, body.components.database.status]).toEqual([503, 'failed']);
  expect(await until(async () => (await ask(1, 'GET', '/readyz')).status === 200)).toBe(true);
});

describe('a process whose clock is wrong', () => {
  const SHIFT_MS = 90 * 60_000;
  const MINUTE_MS = 60_000;
  let wrong: ApiProcess;

  afterEach(() => wrong?.stop());

  const readiness = () => requestAt(network, wrong.port, 'GET', '/readyz');
  /** How far apart the clocks are that the sentence names, in milliseconds. */
  const namedDifference = (reason: string) => {
    const [, own, database] =
      /The clock of this API process is at (\S+), that of Postgres at (\S+): set the wrong one\.$/.exec(
        reason,
      ) ?? [];
    return Date.parse(own!) - Date.parse(database!);
  };

  it('gives its mutations the time of Postgres if it is ahead, and names both clocks', async () => {
    wrong = await startApiProcess(network, clockAheadBy(SHIFT_MS));
    const body = { intentId: randomUUID(), text: 'not from the future', audience: 'public' };
    const say = () => requestAt(network, wrong.port, 'POST', '/api/posts', { by: alice, body });
    const said = await until(async () => {
      const answer = await say();
      return answer.status === 200 && answer.body;
    });
    const { body: seen } = await ask(0, 'GET', `/api/posts/${said.post.id}`, alice);
    expect(seen.post.createdAt).toBeLessThan(Date.now() + MINUTE_MS);
    const { status: ready, body: parts } = await readiness();
    expect([ready, parts.components.clock.status]).toEqual([200, 'failed']);
    expect(Math.abs(namedDifference(parts.components.clock.reason) - SHIFT_MS)).toBeLessThan(MINUTE_MS);
  });

  it('says that the clock is why it takes no writes if it is behind', async () => {
    wrong = await startApiProcess(network, clockAheadBy(-SHIFT_MS));
    const { eventStore } = await until(async () => {
      const { components } = (await readiness()).body;
      return components.clock.status === 'failed' && components;
    });
    expect(eventStore.reason).toMatch(/^The event log answers reads but takes no writes\. The clock of this/);
    expect(Math.abs(namedDifference(eventStore.reason) + SHIFT_MS)).toBeLessThan(MINUTE_MS);
    const { status, body } = await requestAt(network, wrong.port, 'POST', '/api/posts', {
      by: alice,
      body: { intentId: randomUUID(), text: 'from the past', audience: 'public' },
    });
    expect([status, body.error]).toEqual([503, 'domain_storage_unavailable']);
  });
});

describe('the publication', () => {
  it('is refused by both processes while it is in quarantine, and the landing page is not', async () => {
    await database.query(`UPDATE recovery.publication SET status = 'quarantined', reason = 'a test'`);
    try {
      for (const to of [0, 1] as const)
        for (const by of [alice, undefined]) {
          const { status, headers, body } = await ask(to, 'GET', '/api/reconcile', by);
          expect([status, body.error]).toEqual([503, 'recovery_quarantined']);
          expect(headers['retry-after']).toMatch(/^[1-9]/);
        }
      const { status, body } = await ask(0, 'GET', '/readyz');
      expect([status, body.components.readModels]).toEqual([
        503,
        { status: 'failed', reason: 'In quarantine: a test' },
      ]);
      expect((await fetch(network.baseUrl)).status).toBe(200);
    } finally {
      await database.query(`UPDATE recovery.publication SET status = 'serving', reason = NULL`);
    }
    expect((await ask(1, 'GET', '/api/reconcile', alice)).status).toBe(200);
  });

  it('is refused if it was built by unknown versions of projections', async () => {
    const published = 'incarnation = (SELECT incarnation FROM recovery.publication)';
    const { rows } = await database.query<{ versions: object }>(
      `SELECT versions FROM recovery.incarnation WHERE ${published}`,
    );
    await republish(async () => {
      await database.query(`UPDATE recovery.incarnation SET versions = '{"posts": 999}' WHERE ${published}`);
    });
    const { status, body } = await ask(0, 'GET', '/api/reconcile', bob);
    expect([status, body.error]).toEqual([503, 'protected_read_unavailable']);
    await republish(async () => {
      await database.query(`UPDATE recovery.incarnation SET versions = $1 WHERE ${published}`, [
        JSON.stringify(rows[0]?.versions),
      ]);
    });
    expect((await ask(0, 'GET', '/api/reconcile', bob)).status).toBe(200);
  });

  it('changes under running processes: reads continue, the headers name it, and old cursors end [header-incarnation, version-incarnation]', async () => {
    const { body: root } = await say(0, alice, 'root');
    for (let n = 0; n < 3; n++)
      await ask(0, 'POST', '/api/posts', bob, {
        intentId: randomUUID(),
        text: `reply ${n}`,
        audience: 'public',
        parentId: root.post.id,
      });
    const before = await ask(1, 'GET', `/api/posts/${root.post.id}/replies?limit=1`, alice);
    const next = /^<([^>]+)>/.exec(String(before.headers['link']))?.[1] ?? '';
    expect((await ask(1, 'GET', next, alice)).status).toBe(200);

    await republish(() => Promise.resolve());
    for (const to of [0, 1] as const) {
      const { status, headers, body } = await ask(to, 'GET', '/api/reconcile', alice);
      expect(status).toBe(200);
      expect(headers['x-network-incarnation']).not.toBe(before.headers['x-network-incarnation']);
      expect(body.ownPosts).toContainEqual(expect.objectContaining({ id: root.post.id }));
    }
    const ended = await ask(1, 'GET', next, alice);
    expect([ended.status, ended.body.error]).toEqual([400, 'invalid_page_cursor']);
  });
});

describe('while it is suspended,', () => {
  it.each([
    [
      'a person',
      (act: 'suspend' | 'reinstate', { actorId }: SignedIn) =>
        operatorOf(network).post(`accounts/:id/${act}`, { id: actorId, reason: 'a test' }),
    ],
    [
      'an application',
      (act: 'suspend' | 'reinstate', { appId }: SignedIn) =>
        operatorOf(network).post(`applications/:id/${act}`, { id: appId, reason: 'a test' }),
    ],
  ])(
    '%s may do nothing on any process, from the next request on until reinstated [flow-revalidated, lifetime-authority]',
    async (_who, set) => {
      const carol = await personWithToken(network, await registerApplication(network));
      const profile = async (to: 0 | 1) => {
        const { status, body } = await ask(to, 'GET', '/api/profile', carol);
        return [status, body.error];
      };
      // The worker may still be opening the read models that an earlier test published.
      await until(async () => (await profile(0))[0] === 200);
      expect(await profile(1)).toEqual([200, undefined]);
      // Suspensions take effect without the worker.
      freezeWorker(network);
      await set('suspend', carol);
      for (const to of [0, 1] as const) {
        expect(await profile(to)).toEqual([403, 'social_authority_required']);
        const { status, body } = await say(to, carol, 'not any more');
        expect([status, body.error]).toEqual([403, 'social_authority_required']);
      }
      await set('reinstate', carol);
      for (const to of [0, 1] as const) expect(await profile(to)).toEqual([200, undefined]);
    },
  );
});

/** Publishes the same read models as another incarnation, as the end of a rebuild does. */
async function republish(change: () => Promise<void>): Promise<void> {
  freezeWorker(network);
  const { rows } = await database.query<{ incarnation: string; schema_name: string }>(
    'SELECT incarnation, schema_name FROM recovery.publication JOIN recovery.incarnation USING (incarnation)',
  );
  const old = rows[0];
  if (!old) throw new Error('nothing is published');
  const incarnation = randomUUID().replaceAll('-', '').slice(0, 20);
  await database.query(`ALTER SCHEMA "${old.schema_name}" RENAME TO "inc_${incarnation}"`);
  await database.query(
    `WITH made AS (
       INSERT INTO recovery.incarnation (incarnation, schema_name, versions, applied_position, applied_event_id,
         witness_epoch, created_at)
       SELECT $1, $2, versions, applied_position, applied_event_id, witness_epoch, now()
       FROM recovery.incarnation WHERE incarnation = $3
       RETURNING incarnation)
     UPDATE recovery.publication SET incarnation = made.incarnation FROM made`,
    [incarnation, `inc_${incarnation}`, old.incarnation],
  );
  await database.query('DELETE FROM recovery.incarnation WHERE incarnation = $1', [old.incarnation]);
  await change();
  await database.query(`SELECT pg_notify('plaza_publication', $1)`, [incarnation]);
}
