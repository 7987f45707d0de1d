import { setImmediate } from 'node:timers/promises';
import { fastify } from 'fastify';
import type { FastifyInstance, InjectOptions } from 'fastify';
import type { ClientBase } from 'pg';
import { pino } from 'pino';
import { openTelemetry } from '../src/base/telemetry/open-telemetry.js';
import { observeAppends } from '../src/programs/telemetry/appends.js';
import { observeCommands } from '../src/programs/telemetry/commands.js';
import { observeRequests } from '../src/server/observe-requests.js';
import { observeClient } from '../src/programs/telemetry/statements.js';
import { Telemetry } from '../src/base/telemetry/telemetry.js';
import { startFloor } from './floor.js';
import { rounded } from './load.js';

/** CPU of this process in microseconds for each request, above the same request without any seam. */
interface Costs {
  /** The request itself: Fastify without a socket, and stores that answer at once. */
  readonly floorUs: number;
  readonly metricsUs: number;
  readonly notSampledUs: number;
  readonly sampledUs: number;
}

export interface TelemetryBench {
  /** A command, an append and three statements: about what a post asks. */
  readonly write: Costs;
  /** One statement, as for one's own profile. */
  readonly shortRead: Costs;
}

const REQUESTS = 5_000;
const TURNS = 5;
/** Requests between two turns of the event loop, in which spans are sent. */
const PAUSE_EVERY = 10;

const SAMPLER = 'OTEL_TRACES_SAMPLER';
const LOG = pino({ level: 'warn' }, pino.destination({ fd: 2, sync: true }));

export async function benchTelemetry(): Promise<TelemetryBench> {
  const sink = await startFloor('telemetry/sink');
  const open = (otlpEndpoint: string | undefined, sampler: string) => {
    process.env[SAMPLER] = sampler;
    return openTelemetry({ config: { otlpEndpoint }, service: 'bench', logger: LOG });
  };
  try {
    const variants = {
      floor: undefined,
      metrics: new Telemetry(),
      notSampled: await open(sink.url, 'always_off'),
      sampled: await open(sink.url, 'always_on'),
    };
    const servers = Object.entries(variants).map(([name, telemetry]) => ({
      name,
      server: serverOf(telemetry),
    }));
    const write = await costsOf(servers, { method: 'POST', url: '/posts/1', payload: { text: 'a post' } });
    const shortRead = await costsOf(servers, { method: 'GET', url: '/profile' });
    for (const telemetry of Object.values(variants)) await telemetry?.close();
    return { write, shortRead };
  } finally {
    delete process.env[SAMPLER];
    await sink.stop();
  }
}

async function costsOf(
  servers: readonly { readonly name: string; readonly server: FastifyInstance }[],
  request: InjectOptions,
): Promise<Costs> {
  const taken = new Map<string, number[]>(servers.map(({ name }) => [name, []]));
  for (let turn = 0; turn <= TURNS; turn++)
    for (const { name, server } of servers) {
      const us = await cpuOf(server, request);
      // The first turn is warm-up.
      if (turn > 0) taken.get(name)?.push(us);
    }
  const median = (name: string) => taken.get(name)?.toSorted((a, b) => a - b)[Math.floor(TURNS / 2)] ?? NaN;
  const above = (name: string) => rounded(median(name) - median('floor'));
  return {
    floorUs: rounded(median('floor')),
    metricsUs: above('metrics'),
    notSampledUs: above('notSampled'),
    sampledUs: above('sampled'),
  };
}

class Post {}

/** The seams are the ones of a process. */
function serverOf(telemetry: Telemetry | undefined): FastifyInstance {
  const server = fastify();
  const log = { append: () => Promise.resolve({ revision: 0n, position: 0n }) };
  const client = { query: () => Promise.resolve({ rows: [] }) } as unknown as ClientBase;
  const append = { stream: 'post-1', expected: 'no_stream', events: [{ event: { type: 'post.created' } }] };
  const bus = { execute: (_command: object) => (log.append as (given: unknown) => Promise<unknown>)(append) };
  if (telemetry) {
    observeRequests(server, telemetry);
    observeAppends(log, telemetry);
    observeClient(client, 'read', telemetry);
    observeCommands(bus as never, telemetry);
  }
  server.post('/posts/:id', async () => {
    for (let statement = 0; statement < 3; statement++) await client.query('SELECT 1');
    await bus.execute(new Post());
    return {};
  });
  server.get('/profile', async () => {
    await client.query('SELECT 1');
    return {};
  });
  return server;
}

async function cpuOf(server: FastifyInstance, request: InjectOptions): Promise<number> {
  const before = process.cpuUsage();
  for (let sent = 0; sent < REQUESTS; sent++) {
    await server.inject(request);
    if (sent % PAUSE_EVERY === 0) await setImmediate();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS;
}
