/**
 * One network whose log is rolled back, recovered and rolled back again.
 *
 * @sample first
 * @slow
 * @waits
 */
import { randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { requestAt, startApiProcess } from '../support/api-process.js';
import { operatorOf, registerApplication, send } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { copyLog, replaceLog } from '../support/drill.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { statusAndBody, postScopes, deletePost, createPost } from '../support/posts.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

let network: TestNetwork;
let alice: SignedIn;
let keptPostId: string;
let deletedPostId: string;
let log: string;
/** The log before and after the deletion. */
let before: string;
let after: string;

beforeAll(async () => {
  network = await startNetwork();
  log = join(network.dataDir, 'eventstore');
  before = join(network.dataDir, 'log-before');
  after = join(network.dataDir, 'log-after');
  alice = await personWithToken(network, await registerApplication(network), postScopes);
  keptPostId = await createPost(alice, 'stays');
  deletedPostId = await createPost(alice, 'is deleted');
  copyLog(network, before);
  await deletePost(alice, deletedPostId);
  await until(async () => (await readOf(deletedPostId)).status === 404);
  await until(async () => (await readOf(keptPostId)).headers.get('x-network-witness-epoch') === '1');
  await network.killAll('SIGKILL');
  cpSync(log, after, { recursive: true });
});

afterAll(() => network?.stop());

const readOf = (id: string, by?: SignedIn) => {
  const path = `/api/posts/${id}`;
  return by ? by.get(path) : send(network.baseUrl, 'GET', path);
};

async function onDatabase(variable: 'DATABASE_URL' | 'WITNESS_DATABASE_URL', sql: string): Promise<void> {
  const client = new Client({ connectionString: network.env[variable] });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Starts the stopped network on a copy of that log. */
async function startOn(copy: string): Promise<void> {
  replaceLog(network, copy);
  await network.restart();
}

/** Removes the quarantine without a recovery, and stops the network. */
async function forgetQuarantine(): Promise<void> {
  await onDatabase('DATABASE_URL', `UPDATE recovery.publication SET status = 'serving', reason = NULL`);
  await network.killAll('SIGKILL');
}

/** Removes the publication, so that all read models are rebuilt, and stops the network. */
async function loseReadStore(): Promise<void> {
  await onDatabase('DATABASE_URL', 'DELETE FROM recovery.publication; DELETE FROM recovery.incarnation');
  await network.killAll('SIGKILL');
}

/** The reason of the quarantine, after a check that all reports agree and that every read and write is refused. */
async function quarantineReason(): Promise<string> {
  const refused = [503, { error: 'recovery_quarantined', message: expect.any(String) }];
  await until(async () => (await readOf(keptPostId)).body.error === 'recovery_quarantined');
  for (const by of [alice, undefined])
    for (const id of [keptPostId, deletedPostId])
      expect(statusAndBody(await readOf(id, by))).toEqual(refused);
  expect(statusAndBody(await alice.get('/api/reconcile'))).toEqual(refused);
  expect(statusAndBody(await alice.say('lost or not?'))).toEqual(refused);
  expect(statusAndBody(await deletePost(alice, keptPostId))).toEqual(refused);
  await onDatabase('DATABASE_URL', `UPDATE recovery.heartbeat SET beat_at = beat_at - interval '1 minute'`);
  const failed = await until(async () => {
    const found = await readiness();
    return !/kept (?!serving)/.test(found['worker'] ?? '') && found;
  });
  expect(Object.keys(failed)).toEqual(['readModels']);
  const told = failed['readModels']?.replace('In quarantine: ', '') ?? '';
  expect((await operatorOf(network).get('projections')).quarantine).toBe(told);
  const text = await metrics();
  expect(text).toContain(`plaza_quarantine_info{reason="${told}"} 1`);
  expect(text).toContain('plaza_read_models{state="quarantined"} 1');
  expect(text).toContain('plaza_store_up{store="log"} 1');
  return told;
}

/** The components that are not ready, with their reasons. */
async function readiness(port = new URL(network.baseUrl).port): Promise<Record<string, string | undefined>> {
  const { status, body } = await requestAt(network, Number(port), 'GET', '/readyz');
  const components = Object.entries(body.components as Record<string, { status: string; reason?: string }>);
  const failed = components.filter((component) => component[1].status !== 'ok');
  expect(status).toBe(failed.every(([name]) => name === 'witness') ? 200 : 503);
  return Object.fromEntries(failed.map(([name, { reason }]) => [name, reason]));
}

async function metrics(): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${network.env['OPERATOR_PORT']}/metrics`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('text/plain'),
  ]);
  return answer.text();
}

/** Appends to a log that no network uses. */
async function writeInto(dir: string, stream: string, type: string, data: object): Promise<void> {
  const store = await startEmbeddedEventStore({ dir });
  const client = EventStoreDBClient.connectionString(store.url);
  await client.appendToStream(stream, [
    jsonEvent({ type, data: { ...data }, metadata: { requestId: 'test', schemaVersion: 1 } }),
  ]);
  await client.dispose();
  await store.kill('SIGTERM');
}

describe('a network is quarantined', () => {
  it('when its log is an older copy of itself', async () => {
    await startOn(before);
    expect(await quarantineReason()).toMatch(
      /^The log was rolled back: it ends at position \d+, while the published incarnation has applied events up to position \d+/,
    );
    // The console shows it, too, instead of the demo command.
    const said = await until(() => network.output().includes('data stays') && network.output());
    expect(said).toMatch(/NOT READY:\n\n {2}readModels: In quarantine: The log was rolled back/);
    expect(said).not.toContain('Try it');
    await forgetQuarantine();
  });

  it('when its log is an older copy that was written to since', async () => {
    const writtenOn = join(network.dataDir, 'log-written-on');
    cpSync(before, writtenOn, { recursive: true });
    await writeInto(writtenOn, 'plaza_other-1', 'other', { text: 'x'.repeat(20_000) });
    await startOn(writtenOn);
    expect(await quarantineReason()).toMatch(
      /^The log was rolled back and written to since, or replaced: at position \d+ it has another event than /,
    );
    await forgetQuarantine();
  });

  it('when its log belongs to another network', async () => {
    const another = join(network.dataDir, 'log-of-another');
    await writeInto(another, 'network', 'network.founded', { networkId: 'another', at: 1 });
    await startOn(another);
    expect(await quarantineReason()).toMatch(
      /^The log belongs to network another; the published incarnation shows network /,
    );
    await loseReadStore();
  });

  it('when its log lacks a restriction, even if the read store is lost with it', async () => {
    await startOn(before);
    expect(await quarantineReason()).toBe(
      'The log lacks restriction number 1, accepted by the witness: removed content or revoked access could return.',
    );
    await onDatabase('WITNESS_DATABASE_URL', 'ALTER SCHEMA public RENAME TO aside; CREATE SCHEMA public');
    await loseReadStore();
  });

  it('when its witness is empty', async () => {
    await startOn(after);
    expect(await quarantineReason()).toMatch(/^The witness lacks restriction number 1, which the log has/);
    await onDatabase(
      'WITNESS_DATABASE_URL',
      'DROP SCHEMA public CASCADE; ALTER SCHEMA aside RENAME TO public',
    );
    await forgetQuarantine();
  });
});

describe('a network serves', () => {
  it('when its read models are merely behind its log [header-witness-epoch]', async () => {
    await network.restart();
    await until(async () => (await readOf(keptPostId)).status === 200);
    expect((await readOf(deletedPostId)).status).toBe(404);
    const { worker = 0 } = network.pids();
    process.kill(worker, 'SIGSTOP');
    const late = await createPost(alice, 'not applied yet');
    await deletePost(alice, keptPostId);
    await network.killAll('SIGKILL');
    await network.restart();
    expect((await readOf(keptPostId)).status).toBe(404);
    await until(async () => (await readOf(late)).status === 200);
    const answer = await readOf(late, alice);
    expect([answer.headers.get('x-network-witness-epoch'), await metrics()]).toEqual([
      '2',
      expect.stringContaining('plaza_witness_epoch 2'),
    ]);
    expect(await until(async () => Object.keys(await readiness()).length === 0)).toBe(true);
  });

  it('and reports a worker that has not sent a heartbeat for long', async () => {
    const { worker = 0 } = network.pids();
    process.kill(worker, 'SIGSTOP');
    await onDatabase('DATABASE_URL', `UPDATE recovery.heartbeat SET beat_at = beat_at - interval '1 minute'`);
    expect((await readiness())['worker']).toMatch(/^No worker has kept \w+ up to date for \d+ seconds\.$/);
    process.kill(worker, 'SIGCONT');
    expect(await until(async () => Object.keys(await readiness()).length === 0)).toBe(true);
  });
});

describe('a process that cannot prove that no restriction is missing', () => {
  const unproven = [503, 'restriction_witness_unavailable_or_incomplete'];
  const read = (port: number, by?: SignedIn) => requestAt(network, port, 'GET', '/api/reconcile', { by });

  it('refuses reads, writes and sign-ins until the witness answers', async () => {
    const witness = new URL(network.env['WITNESS_DATABASE_URL'] ?? '');
    const proxy = await startTcpProxy(Number(witness.port));
    proxy.loseAnswers();
    witness.port = String(proxy.port);
    const api = await startApiProcess(network, { WITNESS_DATABASE_URL: witness.href });
    try {
      for (const by of [alice, undefined]) {
        const { status, body, headers } = await read(api.port, by);
        expect([status, body.error]).toEqual(unproven);
        expect(headers['retry-after']).toMatch(/^[1-9]/);
      }
      expect(await readiness(String(api.port))).toMatchObject({
        witness: 'It does not answer in time.',
        readModels: expect.stringContaining('The restriction witness cannot be reached'),
      });
      const body = { intentId: randomUUID(), text: 'not yet', audience: 'public' };
      const say = () => requestAt(network, api.port, 'POST', '/api/posts', { by: alice, body });
      const said = await say();
      expect([said.status, said.body.error]).toEqual(unproven);
      const page = await requestAt(network, api.port, 'GET', '/api/auth/account');
      expect([page.status, page.body.error]).toEqual([503, 'auth_unavailable']);
      proxy.reset();
      expect(await until(async () => (await read(api.port)).status === 200)).toBe(true);
      expect((await say()).status).toBe(200);
      // An earlier proof survives an outage of the witness.
      proxy.loseAnswers();
      expect((await read(api.port)).status).toBe(200);
      expect(await readiness(String(api.port))).toEqual({
        witness: 'It does not answer in time.',
      });
    } finally {
      await api.stop();
      await proxy.close();
    }
  });

  it('refuses them without a witness as soon as anything was restricted', async () => {
    const api = await startApiProcess(network, { WITNESS_DATABASE_URL: '' });
    try {
      const { status, body } = await read(api.port, alice);
      expect([status, body.error]).toEqual(unproven);
      const page = await requestAt(network, api.port, 'GET', '/api/auth/account');
      expect([page.status, page.body.error]).toEqual([503, 'auth_unavailable']);
      expect((await readiness(String(api.port)))['readModels']).toContain('WITNESS_DATABASE_URL');
    } finally {
      await api.stop();
    }
  });
});
