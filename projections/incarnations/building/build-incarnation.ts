import type { ClientBase } from 'pg';
import { Applier } from '../../runner/applier.js';
import { CheckpointStore } from '../../runner/checkpoint-store.js';
import { dispatcherOf, eventTypesOf } from '../../runner/projection.js';
import type { Group } from '../../runner/projection.js';
import { Settler } from '../../runner/settler.js';
import type { EventLog } from '../../../src/log/event-log.js';
import type { Recorded } from '../../../src/log/recorded.js';
import type { Incarnation } from '../incarnation.js';
import { BuildConnection } from './build-connection.js';
import { runBuildStep, readBuildState, setBuildState } from './build-state.js';
import { inParallel, withSessions } from './parallel-sessions.js';
import { LogProgressMeter, PhaseMeter } from './progress-meter.js';
import type { BuildProgress, OnProgress } from './build-progress.js';

/**
 * Events to gather for one transaction; the last batch may almost double their number. One transaction is written while
 * the next is gathered, which bounds the memory.
 */
const BATCH_SIZE = { loading: 4_000, catching_up: 1_000 };

export interface BuildOptions {
  readonly group: Group;
  readonly log: Pick<EventLog, 'head' | 'subscribe'>;
  readonly databaseUrl: string;
  /** An unpublished incarnation of the group's versions. The caller holds a lock, so no other worker builds it. */
  readonly incarnation: Incarnation;
  readonly signal: AbortSignal;
  readonly onProgress?: OnProgress;
}

/**
 * Builds an incarnation up to the head of the log: first in bulk, with indexes and backfills at the end, then
 * event by event. Safe to abort or kill: each batch and step is atomic, and the next call resumes.
 * @throws {ProjectionStoppedError} a poison event. {@link UnreadableEvent}, {@link LogReplaced}, faults of
 * Postgres; the reason of `signal`.
 */
export async function buildIncarnation(options: BuildOptions): Promise<void> {
  const { databaseUrl, incarnation, signal } = options;
  const connection = await BuildConnection.open(databaseUrl, [incarnation.schemaName], signal);
  try {
    await connection.endOthers();
    const { state } = await readBuildState(connection.client, incarnation.incarnation);
    if (state === 'loading') {
      await follow(await connection.forLoading(), options, 'loading');
      await setBuildState(connection.client, incarnation.incarnation, 'finishing');
    }
    if (state !== 'built') {
      await finish(connection.client, options);
      await setBuildState(connection.client, incarnation.incarnation, 'built');
    }
    await follow(await connection.forLoading(), options, 'catching_up');
    const settler = new Settler(connection.client, options.group);
    while (settler.hasWork) {
      await settler.step();
      signal.throwIfAborted();
    }
  } finally {
    await connection.close();
  }
}

async function follow(
  client: ClientBase,
  { group, log, incarnation, signal, onProgress = () => undefined }: BuildOptions,
  phase: BuildProgress['phase'] & keyof typeof BATCH_SIZE,
): Promise<void> {
  const checkpoints = CheckpointStore.ofIncarnation(incarnation.incarnation);
  const after = await checkpoints.read(client);
  const applier = new Applier(client, checkpoints, dispatcherOf(group), after, phase === 'loading');
  const range = { from: after?.position ?? 0n, to: (await log.head()) ?? 0n };
  const meter = new LogProgressMeter(new PhaseMeter(phase, onProgress), range);
  const subscription = { after, types: eventTypesOf(group), batchSize: BATCH_SIZE[phase], signal };
  let batch: Recorded[] = [];
  let writing = Promise.resolve();
  try {
    for await (const { events, caughtUp } of log.subscribe(subscription)) {
      batch.push(...events);
      if (batch.length < BATCH_SIZE[phase] && !caughtUp) continue;
      await writing;
      writing = applier.apply(batch);
      // Awaited with the next batch; a rejection before that must not count as unhandled.
      writing.catch(() => undefined);
      const last = batch.at(-1);
      if (last) meter.add(batch.length, last.position);
      batch = [];
      if (caughtUp) break;
    }
  } finally {
    await writing;
  }
  signal.throwIfAborted();
}

/**
 * Statistics targets; Postgres samples 300 times as many rows. A derivation reads whole tables and needs little more
 * than their sizes.
 */
const STATISTICS = { forDeriving: 10, forReading: 100 };

interface Step {
  readonly name: string;
  readonly sql: string;
}

async function finish(client: ClientBase, options: BuildOptions): Promise<void> {
  const { databaseUrl, group, incarnation, signal, onProgress = () => undefined } = options;
  const meter = new PhaseMeter('finishing', onProgress);
  await withSessions(databaseUrl, [incarnation.schemaName], async (sessions) => {
    const stages = finishingStages(group, await tablesOf(client, incarnation));
    const total = stages.flat().length;
    let done = 0;
    for (const stage of stages)
      await inParallel(sessions, signal, stage, async (session, step) => {
        await runBuildStep(session, incarnation.incarnation, step);
        meter.tell(++done, total);
      });
  });
}

/**
 * Returns the stages that end a build; the steps of a stage run in parallel. Statistics come first: the tables are new
 * to Postgres. Each backfill is a stage, since it may read the results of earlier projections.
 */
function finishingStages({ projections }: Group, tables: readonly string[]): readonly (readonly Step[])[] {
  const statistics = (target: number, table: string): Step => ({
    name: `statistics (${target}) of ${table}`,
    sql: `SET LOCAL default_statistics_target = ${target}; ANALYZE ${table}`,
  });
  return [
    tables.map((table) => statistics(STATISTICS.forDeriving, table)),
    ...projections.flatMap(({ name, backfillSql }) =>
      backfillSql === undefined ? [] : [[{ name: `derive ${name}`, sql: backfillSql }]],
    ),
    projections.flatMap(({ name, indexes }) =>
      indexes === undefined ? [] : [{ name: `indexes of ${name}`, sql: indexes }],
    ),
    tables.map((table) => statistics(STATISTICS.forReading, table)),
  ];
}

async function tablesOf(client: ClientBase, { schemaName }: Incarnation): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I', tablename) AS name FROM pg_tables WHERE schemaname = $1 ORDER BY 1`,
    [schemaName],
  );
  return rows.map(({ name }) => name);
}
