import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { freePort } from '../../src/launch/free-port.js';
import type { OpenLog } from '../../src/log/open-log.js';
import { restrictionId } from '../../src/log/restrictions.js';
import { payloadDigest } from '../../src/log/encryption.js';
import { restrictionHash } from '../../src/log/witness/canonical.js';
import { openWitness } from '../../src/log/witness/open-witness.js';
import type { Restriction, Witness } from '../../src/log/witness/witness.js';
import { requestAt, startApiProcess } from '../support/api-process.js';
import type { ProcessAnswer, ApiProcess } from '../support/api-process.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { openLogOf } from '../support/network-log.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { createPost } from '../support/posts.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import type { TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

let network: TestNetwork;
let opened: OpenLog;
let witness: Witness;
let alice: SignedIn;
/** Proxies between an API process and its stores. */
let toWitness: TcpProxy;
let toLog: TcpProxy;
let proxied: ApiProcess;
/** An API process without a witness, and the port of its operator API. */
let withoutWitness: ApiProcess;
let withoutOperatorPort: string;
/** Connections that can lock the witness against writers. */
let lockHolders: readonly [Client, Client];
/** Begins no transaction, in which pg_stat_activity would never change. */
let watcher: Client;

beforeAll(async () => {
  network = await startNetwork();
  const { env } = network;
  const [witnessUrl, logUrl] = [String(env['WITNESS_DATABASE_URL']), String(env['EVENTSTORE_URL'])];
  [toWitness, toLog] = await Promise.all([startTcpProxy(portOf(witnessUrl)), startTcpProxy(portOf(logUrl))]);
  withoutOperatorPort = String(await freePort());
  // As in a network that never had a witness: otherwise a process without one refuses everything.
  const vault = new Client(env['VAULT_DATABASE_URL']);
  await vault.connect();
  await vault.query(`DELETE FROM network_secret WHERE name = 'has-witness'`);
  await vault.end();
  withoutWitness = await startApiProcess(network, {
    WITNESS_DATABASE_URL: '',
    OPERATOR_PORT: withoutOperatorPort,
    LOG_LEVEL: 'silent',
  });
  proxied = await startApiProcess(network, {
    WITNESS_DATABASE_URL: through(witnessUrl, toWitness),
    EVENTSTORE_URL: through(logUrl, toLog),
    LOG_LEVEL: 'silent',
  });
  opened = await openLogOf(network);
  witness = openWitness({ url: witnessUrl, applicationName: 'test' });
  lockHolders = [new Client(witnessUrl), new Client(witnessUrl)];
  watcher = new Client(witnessUrl);
  await Promise.all([...lockHolders, watcher].map((client) => client.connect()));
  alice = await personWithToken(
    network,
    await registerApplication(network),
    'openid read post:create post:delete',
  );
});

afterAll(async () => {
  await Promise.all([...(lockHolders ?? []), watcher].map((client) => client?.end()));
  await witness?.close();
  await opened?.close();
  await Promise.all([proxied?.stop(), withoutWitness?.stop()]);
  await Promise.all([toWitness?.close(), toLog?.close()]);
  await network?.stop();
});

const portOf = (url: string) => Number(new URL(url).port);
const through = (url: string, { port }: TcpProxy) => url.replace(`:${portOf(url)}`, `:${port}`);

const deletePost = (
  process: ApiProcess,
  postId: string,
  intentId: string,
  revision = 1,
): Promise<ProcessAnswer> =>
  requestAt(
    network,
    process.port,
    'DELETE',
    `/api/posts/${postId}?intentId=${intentId}&revision=${revision}`,
    {
      by: alice,
    },
  );

function expectRefusal(answer: ProcessAnswer, status: number, code: string): void {
  expect([answer.status, answer.body]).toEqual([status, { error: code, message: expect.any(String) }]);
  expect(answer.headers['retry-after'] !== undefined).toBe(status === 503);
}

/** The deletions of a post in the log, with their state in the witness. */
async function deletionsOf(postId: string) {
  const recorded = (await opened.log.read(`post-${postId}`)).filter(
    ({ event }) => event.type === 'post.deleted',
  );
  const known = await witness.find(recorded.map(({ id }) => id));
  return recorded.map(({ id, metadata, position }) => {
    const { epoch, state, position: at } = known.get(id) ?? {};
    return { state, isThere: at === position, isNumbered: metadata.witnessEpoch === Number(epoch) };
  });
}

const done = [{ state: 'finalized', isThere: true, isNumbered: true }];

/** Repeats the intent, and expects exactly one finalized deletion. */
async function expectCompletedBy(process: ApiProcess, postId: string, intentId: string): Promise<void> {
  const again = await until(async () => {
    const answer = await deletePost(process, postId, intentId);
    return answer.status !== 503 && answer;
  });
  expect([again.status, again.body.post?.status]).toEqual([200, 'deleted']);
  expect(await deletionsOf(postId)).toEqual(done);
}

const lockHead = 'BEGIN; SELECT line FROM head FOR UPDATE';
const waiters = async (): Promise<number> => {
  const { rows } = await watcher.query<{ count: string }>(
    `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return Number(rows[0]?.count);
};

/** The deletion of a post as a process would prepare it. */
async function preparedDeletion(postId: string, intentId: string, revision: number): Promise<Restriction> {
  const { actorId, appId } = alice;
  const [created] = await opened.log.read(`post-${postId}`, { limit: 1 });
  const key = await opened.vault.keyOf(actorId);
  const metadata = {
    actorId,
    appId,
    intentId,
    grantId: created?.metadata.grantId,
    payloadHash: payloadDigest(key, { verb: 'delete', revision }),
    requestId: 'of a process that died',
  };
  const stream = `post-${postId}`;
  const id = restrictionId('post.deleted', stream, metadata) ?? '';
  const data = { postId, authorActorId: actorId, at: 1 };
  return { id, stream, event: { type: 'post.deleted', data }, metadata };
}

describe('a restriction is refused', () => {
  it('where no witness is configured: restriction_witness_required', async () => {
    const [postId, intentId] = [await createPost(alice), randomUUID()];
    expectRefusal(await deletePost(withoutWitness, postId, intentId), 503, 'restriction_witness_required');
    expect(await deletionsOf(postId)).toEqual([]);
    const operator = operatorOf({
      ...network,
      env: { ...network.env, OPERATOR_PORT: withoutOperatorPort },
    });
    await expect(
      operator.post('accounts/:id/suspend', { id: alice.actorId, reason: 'a test' }),
    ).rejects.toThrow('Set WITNESS_DATABASE_URL');
    await expectCompletedBy(proxied, postId, intentId);
  });

  it('where the witness does not answer, and nothing is written', async () => {
    const [postId, intentId] = [await createPost(alice), randomUUID()];
    toWitness.loseAnswers();
    const answer = await deletePost(proxied, postId, intentId);
    expectRefusal(answer, 503, 'restriction_witness_unavailable_or_incomplete');
    expect(await deletionsOf(postId)).toEqual([]);
    toWitness.reset();
    await expectCompletedBy(proxied, postId, intentId);
  });

  it('where the witness database refuses connections, and nothing is written', async () => {
    const [postId, intentId] = [await createPost(alice), randomUUID()];
    const name = new URL(String(network.env['WITNESS_DATABASE_URL'])).pathname.slice(1);
    const elsewhere = new Client(network.env['DATABASE_URL']);
    await elsewhere.connect();
    await elsewhere.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    toWitness.reset();
    const answer = await deletePost(proxied, postId, intentId);
    await elsewhere.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await elsewhere.end();
    expectRefusal(answer, 503, 'restriction_witness_unavailable_or_incomplete');
    expect(await deletionsOf(postId)).toEqual([]);
    await expectCompletedBy(proxied, postId, intentId);
  });

  it.each([' ', '\u200B', '\u3164'])('where its reason is blank (%j)', async (reason) => {
    const told = operatorOf(network).post('accounts/:id/suspend', { id: alice.actorId, reason });
    await expect(told).rejects.toThrow('say why in 1 to 500 characters');
  });

  it.each(['a\0b', 'a\u202Eb', 'a\u001Bb', 'a\uD800b'])('where its reason misleads (%j)', async (reason) => {
    const told = operatorOf(network).post('accounts/:id/suspend', { id: alice.actorId, reason });
    await expect(told).rejects.toThrow('must not have control characters');
  });

  it('where a process died after preparing another one under the same intent', async () => {
    const [postId, intentId] = [await createPost(alice), randomUUID()];
    await witness.prepare(await preparedDeletion(postId, intentId, 7), Date.now());
    expectRefusal(await deletePost(proxied, postId, intentId), 409, 'witness_prepare_mismatch');
    expect(await deletionsOf(postId)).toEqual([]);
    await expectCompletedBy(proxied, postId, randomUUID());
  });

  it('but not where a process died after preparing the same one: that one is appended', async () => {
    const [postId, intentId] = [await createPost(alice), randomUUID()];
    const same = await preparedDeletion(postId, intentId, 1);
    // The author has a new grant by now.
    const left = { ...same, metadata: { ...same.metadata, grantId: 'an-earlier-one' } };
    await witness.prepare(left, Date.now());
    await expectCompletedBy(proxied, postId, intentId);
    const newest = (await opened.log.read(left.stream)).at(-1);
    expect([newest?.id, newest?.event, newest?.metadata]).toMatchObject([left.id, left.event, left.metadata]);
  });
});

describe('a restriction is not acknowledged', () => {
  it('where the log does not confirm the write', async () => {
    const [postId, intentId] = [await createPost(alice), randomUUID()];
    const [keeper] = lockHolders;
    await keeper.query(lockHead);
    const asked = deletePost(proxied, postId, intentId);
    await until(async () => (await waiters()) === 1);
    toLog.loseAnswers();
    await keeper.query('COMMIT');
    expectRefusal(await asked, 503, 'ambiguous_acceptance_requires_independent_proof');
    // The log has it.
    expect(await deletionsOf(postId)).toMatchObject([{ state: 'prepared' }]);
    toLog.reset();
    await expectCompletedBy(proxied, postId, intentId);
  });

  it('where the witness does not finalize what the log has', async () => {
    const creation = { intentId: randomUUID(), text: 'x', audience: 'public' };
    const [postId, intentId] = [await createPost(alice, 'x', creation), randomUUID()];
    const [first, second] = lockHolders;
    await first.query(lockHead);
    const asked = deletePost(proxied, postId, intentId);
    await until(async () => (await waiters()) === 1);
    // The process prepares first. The second lock then stops it after the append.
    const kept = second.query(lockHead);
    await until(async () => (await waiters()) === 2);
    toLog.holdAnswers();
    await first.query('COMMIT');
    await kept;
    toLog.releaseAnswers();
    expectRefusal(await asked, 503, 'witness_finalize_unconfirmed');
    expect(await deletionsOf(postId)).toMatchObject([{ state: 'prepared' }]);
    // Other requests that find the deletion in the log are not acknowledged either.
    const told = await Promise.all([
      deletePost(proxied, postId, intentId),
      deletePost(proxied, postId, randomUUID()),
      requestAt(network, proxied.port, 'POST', '/api/posts', { by: alice, body: creation }),
    ]);
    for (const each of told) expectRefusal(each, 503, 'witness_finalize_unconfirmed');
    await second.query('COMMIT');
    await expectCompletedBy(proxied, postId, intentId);
  });

  it('where the log lost what the witness accepted, and accepts it at another position', async () => {
    const [postId, intentId] = [await createPost(alice), randomUUID()];
    const lost = await preparedDeletion(postId, intentId, 1);
    await witness.prepare(lost, Date.now());
    await witness.accept(lost.id, { hash: restrictionHash(lost), position: 1n }, Date.now());
    expectRefusal(await deletePost(proxied, postId, intentId), 409, 'witness_acceptance_mismatch');
    expect(await deletionsOf(postId)).toMatchObject([{ state: 'accepted', isThere: false }]);
  });
});
