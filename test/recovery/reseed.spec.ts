import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { operatorOf, registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { deletePost, createPost } from '../support/posts.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { CHECKS_MS, until } from '../support/until.js';

let network: TestNetwork;
let postgres: TestPostgres;
let witness: Client;
let ada: SignedIn;
let eve: SignedIn;
let deletedPostId: string;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase();
  network = await startNetwork({ WITNESS_DATABASE_URL: url });
  witness = new Client({ connectionString: url });
  await witness.connect();
  const application = await registerApplication(network);
  ada = await personWithToken(
    network,
    application,
    'openid read post:create post:delete block:read block:write',
  );
  eve = await personWithToken(network, application, 'openid read');
  deletedPostId = await createPost(ada);
  await block();
  await deletePost(ada, deletedPostId);
});

afterAll(async () => {
  await network?.stop();
  await witness?.end();
  await postgres?.stop();
});

/** All restrictions of a pair are in one stream, so their order matters. */
async function block(): Promise<void> {
  const { status } = await ada.put(`/api/blocks/${eve.actorId}`, { intentId: randomUUID() });
  expect(status).toBe(200);
}

async function unblock(): Promise<void> {
  const { status } = await ada.delete(`/api/blocks/${eve.actorId}?intentId=${randomUUID()}`);
  expect(status).toBe(200);
}

const blocked = async (): Promise<readonly string[]> => (await ada.get('/api/blocks')).body.blocks;

/** A change by hand, which no process of Plaza can make. */
const rewriteLedger = (sql: string) =>
  witness.query(`BEGIN; ALTER TABLE ledger DISABLE TRIGGER only_added_to; TRUNCATE ledger, head, restriction; ${sql};
    ALTER TABLE ledger ENABLE TRIGGER only_added_to; COMMIT`);

const emptyWitness = () =>
  rewriteLedger(`INSERT INTO head (line, hash, epoch) VALUES (0, decode(repeat('00', 32), 'hex'), 0)`);

const copyWitness = () =>
  witness.query(`CREATE SCHEMA kept; CREATE TABLE kept.ledger AS TABLE ledger;
    CREATE TABLE kept.head AS TABLE head; CREATE TABLE kept.restriction AS TABLE restriction`);

const rollBackWitness = () =>
  rewriteLedger(`INSERT INTO ledger TABLE kept.ledger; INSERT INTO head TABLE kept.head;
    INSERT INTO restriction TABLE kept.restriction`);

const status = () => operatorOf(network).get('recovery');

/** Ends the worker. Its successor compares log and witness again. */
function restartWorker(): void {
  process.kill(network.pids().worker ?? 0, 'SIGKILL');
}

async function recoverByReseeding(): Promise<void> {
  restartWorker();
  await until(async () => (await status()).state === 'quarantined', CHECKS_MS);
  expect((await status()).reason).toContain('was rolled back or is another one');
  await expect(operatorOf(network).post('recovery/apply', { reseedWitness: false })).rejects.toThrow(
    '--reseed-witness',
  );
  const applied = await runPlaza(['recovery', 'apply', '--reseed-witness', '--reason', 'lost'], network.env);
  expect([applied.code, applied.stderr]).toEqual([0, expect.anything()]);
  expect(await status()).toMatchObject({
    state: 'serving',
    witness: { unwitnessed: 0, unsettled: 0, brokenLine: null, missing: { count: 0 } },
  });
  expect((await send(network.baseUrl, 'GET', `/api/posts/${deletedPostId}`)).status).toBe(404);
}

/** Whether the witness orders the restrictions of each stream like the log. */
async function isInOrder(): Promise<boolean> {
  const { rows } = await witness.query<{ ordered: boolean }>(
    `SELECT bool_and(ordered) AS ordered FROM (
      SELECT epoch > coalesce(lag(epoch) OVER (PARTITION BY content ->> 'stream' ORDER BY position), 0) AS ordered
      FROM restriction) each`,
  );
  return rows[0]?.ordered === true;
}

describe('plaza recovery apply --reseed-witness recovers', () => {
  it('after the witness was emptied', async () => {
    await emptyWitness();
    await recoverByReseeding();
    expect(await blocked()).toEqual([eve.actorId]);
  });

  it('after the witness was rolled back to an older copy and reused its numbers', async () => {
    await copyWitness();
    await unblock();
    await rollBackWitness();
    await block();
    await recoverByReseeding();
    expect([await blocked(), await isInOrder()]).toEqual([[eve.actorId], true]);
  });

  it('after another witness replaced it and reused numbers of the log', async () => {
    await emptyWitness();
    await unblock();
    await recoverByReseeding();
    expect([await blocked(), await isInOrder()]).toEqual([[], true]);
  });

  it('without another quarantine at the check of the next worker', async () => {
    const { worker: before } = network.pids();
    restartWorker();
    await until(() => network.pids().worker !== before);
    const postId = await createPost(ada);
    expect((await ada.get(`/api/posts/${postId}`)).status).toBe(200);
    await block();
    expect(await status()).toMatchObject({ state: 'serving', witness: { unwitnessed: 0 } });
  });
});
