/** Each case goes on where the one before has ended. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { Allowances } from '../../src/commands/approval/allowances.js';
import { ChangeBatchItem } from '../../src/commands/batch/change-batch-item.js';
import { Clock, systemClock } from '../../src/base/support/clock.js';
import { IdGenerator, systemIds } from '../../src/base/support/id-generator.js';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { EventLog, LogUnavailable } from '../../src/log/event-log.js';
import { openLog } from '../../src/log/open-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { AuthorityStore } from '../../src/base/store/authority/authority-store.js';
import { openReadStore } from '../../src/base/store/database.js';
import type { Postgres } from '../../src/base/store/postgres.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { Application, SignedIn } from '../support/api.js';
import { requestAt, startApiProcess } from '../support/api-process.js';
import type { ApiProcess, ProcessAnswer } from '../support/api-process.js';
import type { ClusterNode } from '../support/cluster-node.js';
import { TestCluster } from '../support/cluster.js';
import { madeOf } from '../support/commands.js';
import { moderatorWith, newModerator } from '../support/moderators.js';
import type { Moderator } from '../support/moderators.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { openLogOf } from '../support/network-log.js';
import { block, follow, like, post, unblock, unfollow, unlike } from '../support/social.js';
import { until } from '../support/until.js';
import { Scrape } from '../telemetry/support/scrape.js';

/** The network follows the nodes to a new leader. `stale` knows the first node alone, also when that is isolated. */
let cluster: TestCluster;
let first: ClusterNode;
let network: TestNetwork;
let stale: ApiProcess;
let staleLog: OpenLog;
let newestLog: OpenLog;
let database: Postgres;
let application: Application;
let [moderator, admin, late]: Moderator[] = [];
let ada: SignedIn;
let bob: SignedIn;
let cem: SignedIn;
let dora: SignedIn;
let eve: SignedIn;
let blockedWith: string;
let liked: string;
let restricted: string;
let written: string;
let older: string;

const scope = allScopes.join(' ');

beforeAll(async () => {
  cluster = await TestCluster.start();
  [first] = cluster.nodes as [ClusterNode];
  network = await startNetwork({ EVENTSTORE_URL: cluster.url, REGISTRATION: 'open' });
  stale = await startApiProcess(network, { EVENTSTORE_URL: first.directUrl, LOG_LEVEL: 'fatal' });
  staleLog = await openLog({
    eventStoreUrl: first.directUrl,
    vaultDatabaseUrl: network.env['VAULT_DATABASE_URL'] ?? '',
    applicationName: 'test',
  });
  database = await openReadStore({
    url: network.env['DATABASE_URL'] ?? '',
    applicationName: 'test',
    maxConnections: 2,
    queryTimeoutMs: 5_000,
  });
  newestLog = await openLogOf(network);
  application = await registerApplication(network);
  [ada, bob, cem, dora, eve] = [
    await personWithToken(network, application, scope),
    await personWithToken(network, application, scope),
    await personWithToken(network, application, scope),
    await personWithToken(network, application, scope),
    await personWithToken(network, application, scope),
  ];
  [moderator, admin] = [await newModerator(network), await newModerator(network, 'administrator')];
  await newModerator(network, 'administrator');
  await operatorOf(network).post('shared-token/limit', { reason: 'a test' });
  late = await newModerator(network, 'administrator');
});

afterAll(async () => {
  await database?.close();
  await newestLog?.close();
  await staleLog?.close();
  await stale?.stop();
  await network?.stop();
  await cluster?.stop();
});

const operator = () => moderator!.client;
const staleOperator = (by = moderator) =>
  moderatorWith({ ...network, env: { ...network.env, OPERATOR_PORT: String(stale.operatorPort) } }, by!)
    .client;

const put = (path: string, intentId: string = randomUUID()): Promise<ProcessAnswer> =>
  requestAt(network, stale.port, 'PUT', path, { by: ada, body: { intentId } });
const followAgain = () => put(`/api/relations/follow/${cem.actorId}`);
const likeAgain = () => put(`/api/relations/like/${liked}`);
const deletePost = (): Promise<ProcessAnswer> =>
  requestAt(network, stale.port, 'DELETE', `/api/posts/${written}?intentId=${randomUUID()}&revision=1`, {
    by: ada,
  });
const reply = (): Promise<ProcessAnswer> =>
  requestAt(network, stale.port, 'POST', '/api/posts', {
    by: ada,
    body: { intentId: randomUUID(), text: 'a reply', audience: 'public', parentId: written },
  });
const report = (): Promise<ProcessAnswer> =>
  requestAt(network, stale.port, 'POST', '/api/reports', {
    by: bob,
    body: { intentId: randomUUID(), postId: written, reason: 'spam' },
  });
const partsOn = ({ log }: OpenLog) =>
  madeOf([
    [EventLog, log],
    [AuthorityStore, new AuthorityStore(database.dataSource)],
    [Clock, systemClock],
    [IdGenerator, systemIds],
  ]);
const restrictInBatch = () =>
  partsOn(staleLog)(CommandBus).execute(
    new ChangeBatchItem('posts', restricted, 'apply', {
      requestId: 'test',
      operator: 'grace',
      reason: 'a test',
      cause: 'plaza_batch-test',
    }),
  );

const allowancesOf = (opened: OpenLog) => partsOn(opened)(Allowances);
const reserve = () =>
  allowancesOf(staleLog).reserve('operator', { count: 1, limit: 1 }, { requestId: 'test' });

/** Of the acts that seem to change nothing, or to be impossible, by the old state of the isolated leader. */
const acts: Readonly<Record<string, () => Promise<unknown>>> = {
  block: () => put(`/api/blocks/${bob.actorId}`),
  follow: followAgain,
  like: likeAgain,
  deletion: deletePost,
  reply,
  report,
  suspension: () => staleOperator().post('accounts/:id/suspend', { id: dora.actorId, reason: 'a test' }),
  'revocation of a grant': () => staleOperator().post('grants/:id/revoke', { id: grantId }),
  'item of a batch': restrictInBatch,
  'restriction within an allowance': reserve,
  'act of an operator who counts since': () =>
    staleOperator(late).post('operators/:id/confirm', { id: late!.operatorId }),
};
let grantId: string;

async function codeOf(act: () => Promise<unknown>): Promise<string> {
  try {
    const { status, body } = (await act()) as Partial<ProcessAnswer>;
    return `${status} ${body?.error}`;
  } catch (error) {
    if (error instanceof LogUnavailable) return '503 domain_storage_unavailable';
    return String(error);
  }
}

describe('an API process beside an isolated leader', () => {
  it('answers 503 to each act that its old state makes needless or impossible', async () => {
    blockedWith = randomUUID();
    await requestAt(network, stale.port, 'PUT', `/api/blocks/${bob.actorId}`, {
      by: ada,
      body: { intentId: blockedWith },
    });
    await follow(ada, cem);
    liked = await post(cem, 'liked');
    older = await post(ada, 'older');
    await like(ada, liked);
    restricted = await post(cem, 'restricted');
    await operator().post('posts/:id/restrict', { id: restricted, reason: 'a test' });
    await operator().post('accounts/:id/suspend', { id: dora.actorId, reason: 'a test' });

    const reservationId = (await reserve()) ?? '';

    await cluster.isolate(first, cluster.nodes[1]!);
    await until(() => unblock(ada, bob).catch(() => undefined));
    await unfollow(ada, cem);
    await unlike(ada, liked);
    written = await post(ada, 'written');
    await operator().post('posts/:id/unrestrict', { id: restricted, reason: 'a test' });
    await operator().post('accounts/:id/reinstate', { id: dora.actorId, reason: 'a test' });
    await admin!.client.post('operators/:id/confirm', { id: late!.operatorId });
    await until(() =>
      allowancesOf(newestLog)
        .release('operator', reservationId, { requestId: 'test' })
        .then(
          () => true,
          () => false,
        ),
    );
    const erin = await personWithToken({ ...network, env: admin!.env }, application, scope);
    const [grant] = await database.dataSource.query<{ grant_id: string }[]>(
      'SELECT grant_id FROM authority.app_grant WHERE actor_id = $1',
      [erin.actorId],
    );
    grantId = grant?.grant_id ?? '';

    const codes = await Promise.all(
      Object.entries(acts).map(async ([name, act]) => [name, await codeOf(act)]),
    );
    expect(Object.fromEntries(codes)).toEqual(
      Object.fromEntries(
        Object.keys(acts).map((name) => [name, expect.stringContaining('domain_storage_unavailable')]),
      ),
    );
  });

  it('answers a repeated intent by its own event', async () => {
    expect((await put(`/api/blocks/${bob.actorId}`, blockedWith)).body).toEqual({ blocked: true });
  });

  it('decides anew what the old state allows, when another leader takes the append', async () => {
    await until(() => block(ada, eve).catch(() => undefined));
    const by = eve;
    const fields = { audience: 'public', parentId: older };
    const refused = [
      requestAt(network, stale.port, 'PUT', `/api/relations/like/${older}`, {
        by,
        body: { intentId: randomUUID() },
      }),
      requestAt(network, stale.port, 'POST', '/api/posts', {
        by,
        body: { intentId: randomUUID(), text: 'a reply', ...fields },
      }),
    ];
    for (const stream of ['like-', 'post-'])
      await until(() => first.unanswered.some((name) => name.startsWith(stream)));
    await cluster.rejoin(first);
    expect((await Promise.all(refused)).map(({ body }) => body.error)).toEqual([
      'interaction_unavailable',
      'parent_unavailable',
    ]);
  });

  it('executes the acts once the leader is connected again', async () => {
    await until(async () => (await put(`/api/blocks/${bob.actorId}`)).status === 200);
    for (const act of [followAgain, likeAgain, deletePost]) expect((await act()).status).toBe(200);
    expect(
      await staleOperator().post('accounts/:id/suspend', { id: dora.actorId, reason: 'a test' }),
    ).toMatchObject({
      changed: true,
    });
    expect(await staleOperator().post('grants/:id/revoke', { id: grantId })).toMatchObject({ changed: true });
    expect(await until(() => restrictInBatch().catch(() => undefined))).toBe('changed');
    expect(await reserve()).toEqual(expect.any(String));
    expect(await staleOperator(late).post('operators/:id/confirm', { id: late!.operatorId })).toEqual({
      changed: false,
    });
    expect(new Set((await ada.get('/api/blocks')).body.blocks)).toEqual(new Set([bob.actorId, eve.actorId]));
  });
});

it('a thousand acts that change nothing, fifty at once, share their proofs', async () => {
  const proofs = async () =>
    (await Scrape.of(network.env['OPERATOR_PORT'])).sum('plaza_log_proofs_total', { outcome: 'done' });
  const before = await proofs();
  const blockAgain = async () => {
    for (let times = 0; times < 20; times++) await until(() => block(ada, bob).catch(() => undefined));
  };
  await Promise.all(Array.from({ length: 50 }, blockAgain));
  const made = (await proofs()) - before;
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(300);
});
