import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { Client } from 'pg';
import { serving } from '../../projections/groups.js';
import { Applier } from '../../projections/runner/applier.js';
import { CheckpointStore } from '../../projections/runner/checkpoint-store.js';
import { LockLostError, ProjectionStoppedError } from '../../projections/runner/faults.js';
import { dispatcherOf } from '../../projections/runner/projection.js';
import { endSession, sessionClient } from '../../src/base/store/session-client.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import type { TcpProxy } from '../support/tcp-proxy.js';
import { Recorder, some } from './support/recorded.js';

const checkpoints = CheckpointStore.ofIncarnation('i');

let postgres: TestPostgres;
let proxy: TcpProxy;
let client: Client;
const recorder = new Recorder();
const recorded = (...events: Parameters<Recorder['record']>[0][]) =>
  events.map((event) => recorder.record(event));
let applier: Applier;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = new URL(await postgres.createReadStore());
  proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  client = sessionClient(url.href, 'test');
  await client.connect();
  await client.query('CREATE SCHEMA inc; SET search_path = inc');
  for (const { tables, indexes = '' } of serving.projections) await client.query(tables + ';' + indexes);
  await client.query(`
    INSERT INTO recovery.incarnation (incarnation, schema_name, versions, created_at) VALUES ('i', 'inc', '{}', now())`);
  applier = new Applier(client, checkpoints, dispatcherOf(serving), undefined);
  await applier.apply(recorded(some.account('alice'), some.account('bob')));
});

afterAll(async () => {
  if (client) await endSession(client);
  await proxy?.close();
  await postgres?.stop();
});

const posts = async () => (await client.query('SELECT id FROM post ORDER BY id')).rows.map(({ id }) => id);

it('sends a batch at once and in one write, whatever it has', async () => {
  const { stream } = client.connection;
  const writes = [jest.spyOn(stream, '_write'), jest.spyOn(stream, '_writev')];
  const before = proxy.turns();
  await applier.apply(
    recorded(some.post('p1'), some.follow('bob', 'alice'), some.like('bob', 'p1'), some.post('p2')),
  );
  expect(proxy.turns() - before).toBe(1);
  expect(writes.map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
  expect(await posts()).toEqual(['p1', 'p2']);
});

it('commits nothing of a batch if another worker has moved the checkpoint', async () => {
  const other = new Applier(client, checkpoints, dispatcherOf(serving), await checkpoints.read(client));
  await other.apply(recorded(some.post('p3')));
  const moved = await checkpoints.read(client);
  await expect(applier.apply(recorded(some.post('p4')))).rejects.toThrow(LockLostError);
  expect(await posts()).toEqual(['p1', 'p2', 'p3']);
  expect(await checkpoints.read(client)).toEqual(moved);
});

it('commits nothing of a batch with a statement that fails, and the next batch whole', async () => {
  const one = new Applier(client, checkpoints, dispatcherOf(serving), await checkpoints.read(client));
  const before = await checkpoints.read(client);
  // The first of its name in this session, and behind the failing one.
  const unblock = some.unblock('alice', 'bob');
  const wrong = some.post('p5', { text: 'no \0 in Postgres' });
  await expect(one.apply(recorded(wrong))).rejects.toThrow(ProjectionStoppedError);
  expect(await checkpoints.read(client)).toEqual(before);
  await one.apply(recorded(some.post('p6'), unblock));
  expect(await posts()).toEqual(['p1', 'p2', 'p3', 'p6']);
});

it('commits nothing if the transaction does not begin', async () => {
  const before = await checkpoints.read(client);
  const checkpoint = checkpoints.advance(before, {
    position: 10n ** 9n,
    eventId: '00000000-0000-4000-8000-000000000001',
  });
  await expect(client.query(checkpoint)).rejects.toThrow('the checkpoint has moved');
  expect(await checkpoints.read(client)).toEqual(before);
});
