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
import { readRecoveryState } from '../src/recovery/recovery-state.js';
import { servingTarget } from '../src/recovery/serving-target.js';
import { openDatabase } from '../src/store/database.js';
import { withEventStore } from './event-store-process.js';
import { withDataDir } from './network.js';
import { numbered, Society } from './society.js';

export interface ProjectionsBench {
  /** In the log: 500 people who follow ten each; of the posts every third is a reply, and every twentieth is deleted. */
  readonly events: number;
  /** The floor. Median of {@link ROUNDS}, as the rebuild. */
  readonly bareEventsPerSecond: number;
  readonly rebuildEventsPerSecond: number;
  readonly ratio: number;
}

const ROUNDS = 3;
const AUTHORS = 500;
const FOLLOWS_EACH = 10;
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
  const options = { group: serving, log, databaseUrl, logger: LOG, ids, now: Date.now };
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

async function fill(log: EventLog, count: number): Promise<void> {
  const society = new Society(log);
  await society.application('bench');
  const authors = numbered('author', AUTHORS);
  await society.people(authors);
  const postAt = (n: number) => ({ postId: `post${n}`, authorActorId: authors[n % AUTHORS] ?? '' });
  const posts = Array.from({ length: count }, (_, n) => {
    const { postId: parentId, authorActorId: parentAuthorActorId } = postAt(n - 1);
    return { ...postAt(n), ...(n % 3 === 2 && { parentId, parentAuthorActorId, rootId: parentId }) };
  });
  await society.follows(
    authors.flatMap((actorId, n) =>
      Array.from({ length: FOLLOWS_EACH }, (_, k) => ({
        actorId,
        targetId: authors[(n + k + 1) % AUTHORS] ?? '',
      })),
    ),
  );
  await society.posts(posts);
  await society.deletions(posts.filter((_, n) => n % 20 === 0));
}

async function inSeconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}
