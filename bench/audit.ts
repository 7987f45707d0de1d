import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { operatorOf } from './operator.js';
import { recordedEvents } from './audit/events.js';
import { fillAudit } from './audit/fill.js';
import { Random } from './audit/random.js';
import { randomSearch } from './audit/searches.js';
import { rounded } from './load.js';
import { startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';
import { percentiles } from './percentiles.js';
import type { Percentiles } from './percentiles.js';
import { newReader } from './reads/reader.js';

export interface AuditBench {
  readonly events: number;
  /** Applied by one connection, as the worker does. */
  readonly eventsPerSecond: number;
  readonly megabytes: number;
  /** While the searches ran. */
  readonly postsPerSecond: number;
  /** First pages without texts. */
  readonly searches: Percentiles & { readonly withEvents: number; readonly slowest: string };
  readonly floor: Percentiles;
  /** p99 beside that of the floor. */
  readonly ratio: number;
  readonly withTexts: Percentiles;
  /** The application is the one with most events. */
  readonly impact: { readonly ever: Percentiles; readonly day: Percentiles };
}

const SEARCHES = 1_000;
const WITH_TEXTS = 100;
const IMPACTS = 100;
const POST_EVERY_MS = 10;
const SEED = 18;

export function benchAudit(events = Number(process.env['BENCH_EVENTS'] ?? 200_000)): Promise<AuditBench> {
  return withDataDir(async (dataDir) => {
    const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off' });
    const pool = new Pool({ connectionString: network.run.settings['DATABASE_URL'], max: 1 });
    try {
      return await measure(network, pool, events);
    } finally {
      await pool.end();
      await network.stop();
    }
  });
}

async function measure(network: BenchNetwork, pool: Pool, events: number): Promise<AuditBench> {
  const random = new Random(SEED);
  const operator = operatorOf(network.run.settings);
  const begun = performance.now();
  const sample = await fillAudit(
    network.run.settings['DATABASE_URL'] ?? '',
    recordedEvents(events, random),
    random,
  );
  const eventsPerSecond = Math.round((events / (performance.now() - begun)) * 1_000);
  // After the events are written, which takes longer than a token is valid.
  const posts = new Posts(network.baseUrl, await (await newReader(network)).token());
  try {
    const timed: { readonly ms: number; readonly q: string; readonly found: number }[] = [];
    const floor: number[] = [];
    // The first tenth is warm-up.
    for (let n = -SEARCHES / 10; n < SEARCHES; n++) {
      const q = randomSearch(sample, random);
      const [ms, found] = await msOf(() => operator.call('GET /operator/audit', { q, texts: false }));
      const [floorMs] = await msOf(() => pool.query(FLOOR));
      if (n < 0) continue;
      timed.push({ ms, q, found: found.events.length });
      floor.push(floorMs);
    }
    const withTexts = await repeat(WITH_TEXTS, () =>
      operator.call('GET /operator/audit', { q: randomSearch(sample, random), texts: true }),
    );
    const since = new Date(Date.now() - 24 * 60 * 60_000).toISOString();
    const ever = await repeat(IMPACTS, () =>
      operator.call('GET /operator/applications/:id/impact', { id: 'app0' }),
    );
    const day = await repeat(IMPACTS, () =>
      operator.call('GET /operator/applications/:id/impact', { id: 'app0', since }),
    );
    const searches = percentiles(timed.map(({ ms }) => ms));
    const [slowest] = timed.toSorted((a, b) => b.ms - a.ms);
    return {
      events,
      eventsPerSecond,
      megabytes: await megabytesOf(pool),
      postsPerSecond: posts.perSecond(),
      searches: {
        ...searches,
        withEvents: timed.filter(({ found }) => found > 0).length,
        slowest: `${rounded(slowest?.ms ?? 0)} ms: ${slowest?.q}`,
      },
      floor: percentiles(floor),
      ratio: rounded(searches.p99Ms / percentiles(floor).p99Ms),
      withTexts,
      impact: { ever, day },
    };
  } finally {
    await posts.stop();
  }
}

/** The least work of a page: a hundred rows in the order of a key. */
const FLOOR = 'SELECT * FROM audit.event ORDER BY position DESC LIMIT 100';

async function msOf<Result>(work: () => Promise<Result>): Promise<readonly [number, Result]> {
  const begun = performance.now();
  const result = await work();
  return [performance.now() - begun, result];
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<Percentiles> {
  const took: number[] = [];
  for (let n = 0; n < times; n++) took.push((await msOf(work))[0]);
  return percentiles(took);
}

async function megabytesOf(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `SELECT sum(pg_total_relation_size(oid))::text AS bytes FROM pg_class
    WHERE relnamespace = 'audit'::regnamespace AND relkind = 'r'`,
  );
  return Math.round(Number(rows[0]?.bytes) / 1e6);
}

/** Posts by the clock, until it is stopped: waiting for a slow answer would hide the next one. */
class Posts {
  private readonly begun = performance.now();
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  private done = 0;
  private failure: unknown;

  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {
    this.running = this.run();
  }

  perSecond(): number {
    return Math.round((this.done / (performance.now() - this.begun)) * 1_000);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    if (this.failure !== undefined) throw this.failure;
  }

  private async run(): Promise<void> {
    const under = new Set<Promise<unknown>>();
    for (let n = 1; !this.stopping.signal.aborted; n++) {
      await pause(Math.max(this.begun + n * POST_EVERY_MS - performance.now(), 0));
      const sent = this.post()
        .catch((error: unknown) => (this.failure ??= error))
        .finally(() => under.delete(sent));
      under.add(sent);
    }
    await Promise.all(under);
  }

  private async post(): Promise<void> {
    const response = await fetch(`${this.baseUrl}/api/posts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ intentId: randomUUID(), text: 'A post of a benchmark', audience: 'public' }),
    });
    await response.body?.cancel();
    if (response.status !== 200) throw new Error(`a post was answered ${response.status}`);
    this.done++;
  }
}
