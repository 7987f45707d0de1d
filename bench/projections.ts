/** How fast the read models are built anew, beside a bare subscription to the same log that only counts. */
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { EventStoreDBClient, excludeSystemEvents, START } from '@eventstore/db-client';
import { pino } from 'pino';
import { serving } from '../projections/groups.js';
import { GroupRunner } from '../projections/runner/group-runner.js';
import { startPostgres } from '../src/launch/embedded-postgres.js';
import { openLog } from '../src/log/open-log.js';
import type { EventLog } from '../src/log/event-log.js';
import type { StoredEvent } from '../src/log/registry.js';
import { streams } from '../src/log/streams.js';
import { readRecoveryState } from '../src/recovery/recovery-state.js';
import { servingTarget } from '../src/recovery/serving-target.js';
import { openDatabase } from '../src/store/database.js';
import { withEventStore } from './event-store-process.js';
import { withDataDir } from './network.js';

export interface ProjectionsBench {
  /** In the log: 500 people; of the posts every third is a reply, and every twentieth is deleted. */
  readonly events: number;
  /** The floor. Median of {@link ROUNDS}, as the rebuild. */
  readonly bareEventsPerSecond: number;
  readonly rebuildEventsPerSecond: number;
  readonly ratio: number;
}

const ROUNDS = 3;
const AUTHORS = 500;
const WRITERS = 64;
const LOG = pino({ level: 'warn' }, pino.destination({ fd: 2, sync: true }));

export function benchProjections(posts = 50_000): Promise<ProjectionsBench> {
  return withDataDir(async (dataDir) => {
    const postgres = await startPostgres({ dataDir, log: LOG });
    try {
      const dir = join(dataDir, 'eventstore');
      return await withEventStore(dir, ['--no-fsync'], async (url) => {
        const opened = await openLog({
          eventStoreUrl: url,
          vaultDatabaseUrl: postgres.vaultDatabaseUrl,
          applicationName: 'bench',
        });
        await fill(opened.log, posts);
        const result = await measure(url, opened.log, postgres.databaseUrl);
        await opened.close();
        return result;
      });
    } finally {
      await postgres.stop();
    }
  });
}

/** Floor and rebuild take turns, so that a change in the machine's mood meets both. */
async function measure(url: string, log: EventLog, databaseUrl: string): Promise<ProjectionsBench> {
  const database = await openDatabase({ url: databaseUrl, applicationName: 'bench', maxConnections: 2 });
  const bare: number[] = [];
  const rebuild: number[] = [];
  let events = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const floor = await inSeconds(async () => (events = await count(url)));
    bare.push(events / floor);
    const seconds = await inSeconds(() => build(log, databaseUrl));
    rebuild.push(events / seconds);
    const { schemaName } = (await readRecoveryState(database.pool)) ?? {};
    await database.pool.query(`DELETE FROM recovery.publication; DELETE FROM recovery.incarnation`);
    await database.pool.query(`DROP SCHEMA ${schemaName} CASCADE`);
  }
  await database.close();
  const [bareEventsPerSecond, rebuildEventsPerSecond] = [median(bare), median(rebuild)];
  const ratio = Number((rebuildEventsPerSecond / bareEventsPerSecond).toFixed(2));
  return { events, bareEventsPerSecond, rebuildEventsPerSecond, ratio };
}

/** A bare client: how many events the log has. */
async function count(url: string): Promise<number> {
  const client = EventStoreDBClient.connectionString(url);
  const { promise: caughtUp, resolve, reject } = Promise.withResolvers<void>();
  let events = 0;
  const subscription = client
    .subscribeToAll({ fromPosition: START, filter: excludeSystemEvents() })
    .on('data', () => events++)
    .on('caughtUp', resolve)
    .on('error', reject);
  await caughtUp;
  await subscription.unsubscribe();
  await client.dispose();
  return events;
}

/** What a worker does on a first start: resolves when it has published. */
async function build(log: EventLog, databaseUrl: string): Promise<void> {
  const stopping = new AbortController();
  const ids = {
    uuid: randomUUID,
    networkId: () => 'bench',
    incarnation: () => randomBytes(8).toString('hex'),
  };
  const options = { group: serving, log, logger: LOG, ids, now: Date.now };
  const running = new GroupRunner({
    group: serving,
    databaseUrl,
    log,
    logger: LOG,
    async prepare(client, signal) {
      const target = await servingTarget(options, client, signal);
      return {
        ...target,
        async caughtUp(client) {
          await target.caughtUp(client);
          stopping.abort();
        },
      };
    },
  }).run(stopping.signal);
  await running;
}

async function fill(log: EventLog, posts: number): Promise<void> {
  const append = (stream: string, event: StoredEvent, expected: 'no_stream' | bigint = 'no_stream') =>
    log.append({ stream, expected, events: [{ id: randomUUID(), event }], metadata: { requestId: 'bench' } });
  const at = Date.now();
  const app = { appId: 'bench', name: 'Bench', redirectUris: [], postLogoutRedirectUris: [], scopes: [], at };
  await append(streams.application('bench'), { type: 'application.registered', data: app });
  await inParallel(AUTHORS, async (n) => {
    const actorId = `author${n}`;
    const data = { actorId, handle: actorId, displayName: actorId, email: `${actorId}@example.org`, at };
    await append(streams.account(actorId), { type: 'account.registered', data });
  });
  const idOf = (n: number) => `post${n}`;
  await inParallel(posts, async (n) => {
    const [postId, authorActorId] = [idOf(n), `author${n % AUTHORS}`];
    const thread = n % 3 === 2 ? { parentId: idOf(n - 1), rootId: idOf(n - 1) } : {};
    const text =
      'What a person writes is often about as long as this, which is to say not very long. '.repeat(2);
    const data = {
      postId,
      authorActorId,
      appId: 'bench',
      text,
      audience: 'public' as const,
      mentions: [],
      at,
      ...thread,
    };
    await append(streams.post(postId), { type: 'post.created', data });
    const deleted = { postId, authorActorId, at };
    if (n % 20 === 0) await append(streams.post(postId), { type: 'post.deleted', data: deleted }, 0n);
  });
}

async function inParallel(times: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const writer = async () => {
    while (next < times) await work(next++);
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

async function inSeconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}
