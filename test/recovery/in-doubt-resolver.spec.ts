import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { LogUnavailable } from '../../src/log/event-log.js';
import type { EventLog } from '../../src/log/event-log.js';
import { openLog } from '../../src/log/open-log.js';
import type { Recorded } from '../../src/log/recorded.js';
import type { RestrictionEvent } from '../../src/log/restrictions.js';
import { InDoubtResolver } from '../../src/background/in-doubt-resolver.js';
import type { Restriction, Witness } from '../../src/log/witness/witness.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { TestCluster } from '../support/cluster.js';
import type { ClusterNode } from '../support/cluster-node.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { deletionOf } from './support/restrictions.js';
import { proofOf, WitnessBench } from './support/witness-bench.js';
import { retryWhileUnavailable } from '../support/retry-while-unavailable.js';

let postgres: TestPostgres;
let bench: WitnessBench;
let witness: Witness;

beforeAll(async () => {
  postgres = await startTestPostgres();
});

beforeEach(async () => {
  bench = await WitnessBench.open(postgres);
  ({ witness } = bench);
});

afterEach(() => bench?.close());
afterAll(() => postgres?.stop());

const stateOf = (restriction: Restriction) => bench.stateOf(restriction);

describe('a restriction in doubt', () => {
  let appliedIds: ReadonlySet<string> = new Set();
  const resolverOn = (log: EventLog) =>
    new InDoubtResolver({
      log,
      witness,
      shown: () => Promise.resolve(appliedIds),
      now: Date.now,
      lockUrl: bench.url,
      logger: pino({ level: 'silent' }),
    });

  it('is withdrawn by a starting process if the log does not have it', async () => {
    const [old, young, accepted] = [deletionOf('p'), deletionOf('q'), deletionOf('r')];
    await witness.prepare(old, Date.now() - 31_000);
    await witness.prepare(young, Date.now());
    await witness.prepare(accepted, Date.now() - 31_000);
    await witness.accept(accepted.id, proofOf(accepted), 2);
    const resolver = resolverOn(new MemoryLog());
    resolver.start();
    await until(async () => (await stateOf(old)) === 'withdrawn');
    await resolver.stop();
    // The young one may be in progress; the accepted one needs a recovery.
    expect([await stateOf(young), await stateOf(accepted)]).toEqual(['prepared', 'accepted']);
  });

  it('stays in doubt while the log is unavailable', async () => {
    const log = new MemoryLog();
    log.setDown(true);
    const restriction = deletionOf('p');
    await witness.prepare(restriction, 1);
    await expect(resolverOn(log).settleBefore(Date.now())).rejects.toThrow(LogUnavailable);
    expect(await stateOf(restriction)).toBe('prepared');
  });

  it('is finalized if the log has it', async () => {
    const log = new MemoryLog();
    const [recorded] = log.add({
      type: 'post.deleted',
      data: { postId: 'p', authorActorId: 'ada', at: 1 },
    });
    const { id, stream, event, metadata, position } = recorded as Recorded<RestrictionEvent>;
    await witness.prepare({ id, stream, event, metadata }, 1);
    await resolverOn(log).settleBefore(Date.now());
    expect((await witness.find([id])).get(id)).toMatchObject({ state: 'finalized', position });
  });

  it('is finalized after its withdrawal once read models show that the log has it after all', async () => {
    const log = new MemoryLog();
    const [recorded] = log.add({
      type: 'post.deleted',
      data: { postId: 'p', authorActorId: 'ada', at: 1 },
    });
    const { id, stream, event, metadata } = recorded as Recorded<RestrictionEvent>;
    const gone = deletionOf('q');
    for (const each of [{ id, stream, event, metadata }, gone]) {
      await witness.prepare(each, 1);
      await witness.withdraw(each.id, 2);
    }
    appliedIds = new Set([id]);
    await resolverOn(log).settleBefore(Date.now());
    expect((await witness.find([id])).get(id)).toMatchObject({ state: 'finalized' });
    expect(await stateOf(gone)).toBe('withdrawn');
  });

  it('stays in doubt while an isolated leader does not show it', async () => {
    const cluster = await TestCluster.start();
    const vaultDatabaseUrl = await postgres.createDatabase();
    const openAt = (eventStoreUrl: string) =>
      openLog({ eventStoreUrl, vaultDatabaseUrl, applicationName: 'test' });
    const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
    const stale = await openAt(first.directUrl);
    const current = await openAt(second.url);
    try {
      await stale.log.reach();
      await cluster.isolate(first, second);
      const restriction = deletionOf('p');
      const { stream, id, event, metadata } = restriction;
      await witness.prepare(restriction, 1);
      await retryWhileUnavailable(() =>
        current.log.append({ stream, expected: 'no_stream', events: [{ id, event }], metadata }),
      );
      await expect(resolverOn(stale.log).settleBefore(Date.now())).rejects.toThrow(LogUnavailable);
      expect(await stateOf(restriction)).toBe('prepared');
      await cluster.rejoin(first);
      await retryWhileUnavailable(() => resolverOn(stale.log).settleBefore(Date.now()));
      expect(await stateOf(restriction)).toBe('finalized');
    } finally {
      await stale.close();
      await current.close();
      await cluster.stop();
    }
  });

  it('is resolved up to the last one, even behind many that cannot be resolved', async () => {
    const eventStore = await startEmbeddedEventStore();
    const vaultDatabaseUrl = await postgres.createDatabase();
    const opened = await openLog({
      eventStoreUrl: eventStore.url,
      vaultDatabaseUrl,
      applicationName: 'test',
    });
    try {
      // More of each than one batch of the resolver, which is 100.
      const some = (name: string) => Array.from({ length: 110 }, (_, n) => deletionOf(`${name}-${n}`));
      const [lost, late, landed, gone] = [some('lost'), some('late'), some('landed'), some('gone')];
      const append = ({ stream, id, event, metadata }: Restriction) =>
        opened.log.append({ stream, expected: 'no_stream', events: [{ id, event }], metadata });
      await each(lost, async (restriction) => {
        await witness.prepare(restriction, 1);
        await witness.accept(restriction.id, proofOf(restriction), 2);
      });
      await each([...gone.slice(0, 105), ...late], (restriction) => witness.prepare(restriction, 1));
      await each([...gone.slice(0, 105), ...late], (restriction) => witness.withdraw(restriction.id, 2));
      await each([...gone.slice(105), ...landed], (restriction) => witness.prepare(restriction, 1));
      await each([...late, ...landed], append);
      appliedIds = new Set(late.map(({ id }) => id));

      await retryWhileUnavailable(() => resolverOn(opened.log).settleBefore(Date.now()));

      const states = async (restrictions: readonly Restriction[]) => {
        const ids = restrictions.map(({ id }) => id);
        const found = await retryWhileUnavailable(() => witness.find(ids));
        return new Set([...found.values()].map(({ state }) => state));
      };
      expect(await states(lost)).toEqual(new Set(['accepted']));
      expect(await states(gone)).toEqual(new Set(['withdrawn']));
      expect(await states([...late, ...landed])).toEqual(new Set(['finalized']));
      expect(await retryWhileUnavailable(() => witness.firstBroken())).toBeUndefined();
    } finally {
      await opened.close();
      await eventStore.stop();
    }
  });
});

/** In small groups, so that no call waits too long. */
async function each<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += 25)
    await Promise.all(items.slice(at, at + 25).map((item) => retryWhileUnavailable(() => act(item))));
}
