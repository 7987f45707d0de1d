import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { Pool } from 'pg';
import { pino } from 'pino';
import { startPostgres } from '../src/launch/embedded-postgres.js';
import { openLog } from '../src/log/open-log.js';
import { RestrictionCheck } from '../projections/incarnations/detect/restriction-check.js';
import { openWitness } from '../src/log/witness/open-witness.js';
import { withEventStore } from '@plaza/event-store/testing';
import { cpuMsOf } from './cpu.js';
import { rounded } from './load.js';
import { withDataDir } from './network.js';

export interface StartProofBench {
  readonly events: number;
  readonly restrictions: number;
  /** The startup check: the checkpoint, then a comparison of all restrictions in log and witness. */
  readonly secondsAtStart: { readonly checkpoint: number; readonly restrictions: number };
  readonly cpuSecondsAtStart: { readonly own: number; readonly eventStore: number };
  /** The periodic check of each minute, without new restrictions. */
  readonly secondsEachMinute: number;
}

const APPEND = 1_500;
const LOG = pino({ level: 'warn' }, pino.destination({ fd: 2, sync: true }));

/** Duration of a start's comparison of a large log with its checkpoint and the witness. */
export function benchStartProof(
  events = Number(process.env['BENCH_EVENTS'] ?? 1_000_000),
  restrictions = events / 100,
): Promise<StartProofBench> {
  return withDataDir(async (dataDir) => {
    const postgres = await startPostgres({ dataDir, log: LOG });
    try {
      return await withEventStore(join(dataDir, 'eventstore'), ['--no-fsync'], (eventStoreUrl, pid) =>
        measure({ ...postgres, eventStoreUrl, pid }, events, restrictions),
      );
    } finally {
      await postgres.stop();
    }
  });
}

interface Stores {
  readonly eventStoreUrl: string;
  readonly pid: number;
  readonly databaseUrl: string;
  readonly vaultDatabaseUrl: string;
  readonly witnessDatabaseUrl: string;
}

async function measure(urls: Stores, events: number, restrictions: number): Promise<StartProofBench> {
  const ids = Array.from({ length: restrictions }, () => randomUUID());
  const checkpoint = await fill(urls.eventStoreUrl, events, ids);
  const opened = await openLog({ ...urls, applicationName: 'bench' });
  const witness = openWitness({ url: urls.witnessDatabaseUrl, applicationName: 'bench' });
  const database = new Pool({ connectionString: urls.witnessDatabaseUrl, max: 1 });
  const readStore = new Pool({ connectionString: urls.databaseUrl, max: 1 });
  try {
    await witness.find([]);
    const content = { stream: 's', event: { type: 'post.deleted', data: {} }, metadata: {}, version: 1 };
    await database.query(
      `INSERT INTO restriction
      SELECT n, id::uuid, 'finalized', decode(repeat('00', 32), 'hex'), n, 0, $2
      FROM unnest($1::text[]) WITH ORDINALITY AS given(id, n)`,
      [ids, JSON.stringify(content)],
    );
    const check = new RestrictionCheck({ witness, log: opened.log, monotonic: () => performance.now() });
    const { signal } = new AbortController();
    const compare = async () => {
      const lacks = await check.run({ database: readStore, schema: undefined, signal });
      if (lacks !== undefined) throw new Error(lacks);
    };
    const cpu = () => [process.pid, urls.pid].map((pid) => cpuMsOf(pid) / 1_000) as [number, number];
    const before = cpu();
    const secondsAtStart = {
      checkpoint: await secondsOf(() => opened.log.verify(checkpoint)),
      restrictions: await secondsOf(compare),
    };
    const [own, eventStore] = cpu().map((after, n) => rounded(after - (before[n] ?? 0)));
    return {
      events,
      restrictions,
      secondsAtStart,
      cpuSecondsAtStart: { own: own ?? 0, eventStore: eventStore ?? 0 },
      secondsEachMinute: await secondsOf(compare),
    };
  } finally {
    await readStore.end();
    await database.end();
    await witness.close();
    await opened.close();
  }
}

async function fill(url: string, events: number, restrictions: readonly string[]) {
  const client = EventStoreDBClient.connectionString(url);
  const every = events / restrictions.length;
  let last = { position: 0n, eventId: '' };
  for (let n = 0; n < events; n += APPEND) {
    const some = Array.from({ length: Math.min(APPEND, events - n) }, (_, k) => {
      const number = (n + k) / every;
      const id = Number.isInteger(number) ? restrictions[number] : undefined;
      const data = { text: 'x'.repeat(200) };
      return id === undefined
        ? jsonEvent({ type: 'post.created', data })
        : jsonEvent({ id, type: 'post.deleted', data, metadata: { witnessEpoch: n + k + 1 } });
    });
    // The comparison reads Plaza's stream categories alone.
    const { position } = await client.appendToStream(`post-bench-${n}`, some);
    last = { position: position?.commit ?? 0n, eventId: some.at(-1)?.id ?? '' };
  }
  await client.dispose();
  return last;
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return rounded((performance.now() - begun) / 1_000);
}
