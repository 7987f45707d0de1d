import type { ClientBase } from 'pg';
import { Applier } from '../../projections/runner/applier.js';
import { CheckpointStore } from '../../projections/runner/checkpoint-store.js';
import { dispatch, typesOf } from '../../projections/runner/projection.js';
import type { Group } from '../../projections/runner/projection.js';
import { withIdleTicks } from '../../projections/runner/idle-ticks.js';
import { WorkerConnection } from '../../projections/runner/worker-connection.js';
import type { EventLog } from '../log/event-log.js';
import type { Incarnation } from './incarnation.js';

const BATCH_SIZE = 1_000;
/** How soon the end is looked at again while nothing new comes. */
const SILENCE_MS = 50;

export interface FollowOptions {
  readonly group: Group;
  readonly log: EventLog;
  readonly databaseUrl: string;
  readonly incarnation: Incarnation;
  readonly signal: AbortSignal;
  /** Called at the end of the log, again and again, until it says that it is enough. On the connection that applies. */
  readonly atTheEnd: (client: ClientBase) => Promise<boolean>;
  /** Position of the newest event that was applied. */
  readonly onApplied?: (position: bigint) => void;
}

/**
 * Applies to an incarnation that is not published what the log has beyond it, as live work does.
 * @throws {LogReplaced} it shows another log. What Postgres throws.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { group, log, databaseUrl, incarnation, atTheEnd, onApplied } = options;
  const connection = await WorkerConnection.open(databaseUrl, 'plaza-job');
  const signal = AbortSignal.any([options.signal, connection.lost]);
  try {
    const { client } = connection;
    await client.query(`SELECT set_config('search_path', quote_ident($1), false)`, [incarnation.schemaName]);
    const progress = CheckpointStore.ofIncarnation(incarnation.incarnation);
    const after = await progress.read(client);
    const applier = new Applier(client, progress, dispatch(group), after);
    const subscribe = (wanted: AbortSignal) =>
      log.subscribe({ after, types: typesOf(group), batchSize: BATCH_SIZE, signal: wanted });
    let caughtUp = false;
    for await (const batch of withIdleTicks(subscribe, SILENCE_MS, signal)) {
      const last = batch?.events.at(-1);
      if (batch && last) {
        await applier.apply(batch.events);
        onApplied?.(last.position);
      }
      caughtUp = batch?.caughtUp ?? caughtUp;
      if (caughtUp && (await atTheEnd(client))) return;
    }
    signal.throwIfAborted();
  } finally {
    await connection.close();
  }
}
