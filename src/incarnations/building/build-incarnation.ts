import type { ClientBase } from 'pg';
import { Applier } from '../../../projections/runner/applier.js';
import { CheckpointStore } from '../../../projections/runner/checkpoint-store.js';
import { dispatch, typesOf } from '../../../projections/runner/projection.js';
import type { Group } from '../../../projections/runner/projection.js';
import type { EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import type { Incarnation } from '../incarnation.js';
import { BuildConnection } from './build-connection.js';
import { doStep, readBuildState, setBuildState } from './build-state.js';
import { inParallel, withSessions } from './parallel-sessions.js';
import { LogMeter, PhaseMeter } from './progress-meter.js';
import type { BuildProgress, OnProgress } from './build-progress.js';

/**
 * How many events make a transaction: that many are gathered, from batches of at most as many. So what is in memory is at
 * most two of these that are read, and two that are written.
 */
const BATCH_SIZE = { loading: 4_000, catching_up: 1_000 };

export interface BuildOptions {
  readonly group: Group;
  readonly log: EventLog;
  readonly databaseUrl: string;
  /** Not published, of the group's versions, and nobody else's work: whoever asks holds a lock. */
  readonly incarnation: Incarnation;
  readonly signal: AbortSignal;
  readonly onProgress?: OnProgress;
}

/**
 * Brings an incarnation to the end of the log, however far it came: the first time in bulk, by the statements' short way
 * and with what else there is to make made at the end; then as live application does. It may be aborted or killed at
 * any moment, and called again: a batch and a step are done wholly or not at all.
 *
 * Rejects with the signal's reason when that aborts. @throws what live application would: {@link ProjectionStoppedError} at an event that
 * cannot be applied, {@link UnreadableEvent}, {@link LogReplaced}, faults of Postgres as they come.
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
  } finally {
    await connection.close();
  }
}

/** Applies everything up to the end of the log: the next batch is read and opened while Postgres has the one before. */
async function follow(
  client: ClientBase,
  { group, log, incarnation, signal, onProgress = () => undefined }: BuildOptions,
  phase: BuildProgress['phase'] & keyof typeof BATCH_SIZE,
): Promise<void> {
  const progress = CheckpointStore.ofIncarnation(incarnation.incarnation);
  const after = await progress.read(client);
  const applier = new Applier(client, progress, dispatch(group), after, phase === 'loading');
  const way = { from: after?.position ?? 0n, to: (await log.head()) ?? 0n };
  const meter = new LogMeter(new PhaseMeter(phase, onProgress), way);
  const subscription = { after, types: typesOf(group), batchSize: BATCH_SIZE[phase], signal };
  let gathered: Recorded[] = [];
  let writing = Promise.resolve();
  try {
    for await (const { events, caughtUp } of log.subscribe(subscription)) {
      gathered.push(...events);
      if (gathered.length < BATCH_SIZE[phase] && !caughtUp) continue;
      await writing;
      writing = applier.apply(gathered);
      // Asked for when the next batch is there, which may be after it has failed.
      writing.catch(() => undefined);
      const last = gathered.at(-1);
      if (last) meter.add(gathered.length, last.position);
      gathered = [];
      if (caughtUp) break;
    }
  } finally {
    await writing;
  }
  signal.throwIfAborted();
}

/** What Postgres samples for plans: 300 times as many rows. Whoever reads whole tables only asks how large they are. */
const STATISTICS = { forDeriving: 10, forReading: 100 };

interface Step {
  readonly name: string;
  readonly sql: string;
}

/** Makes what the load has left out. */
async function finish(client: ClientBase, options: BuildOptions): Promise<void> {
  const { databaseUrl, group, incarnation, signal, onProgress = () => undefined } = options;
  const meter = new PhaseMeter('finishing', onProgress);
  await withSessions(databaseUrl, [incarnation.schemaName], async (lanes) => {
    const stages = finishingStages(group, await tablesOf(client, incarnation));
    const total = stages.flat().length;
    let done = 0;
    for (const stage of stages)
      await inParallel(lanes, signal, stage, async (lane, step) => {
        await doStep(lane, incarnation.incarnation, step);
        meter.tell(++done, total);
      });
  });
}

/**
 * Steps that need not wait for each other, behind those that they stand on. Statistics first: the tables are new to Postgres,
 * and are read whole now. What a projection derives may be from what those before it have derived.
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
