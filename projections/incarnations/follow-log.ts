import type { ClientBase } from 'pg';
import { Applier } from '../runner/applier.js';
import { CheckpointStore } from '../runner/checkpoint-store.js';
import { dispatcherOf, eventTypesOf } from '../runner/projection.js';
import type { Group } from '../runner/projection.js';
import { withIdleTicks } from '../runner/idle-ticks.js';
import { WorkerConnection } from '../runner/worker-connection.js';
import type { EventLog } from '../../src/log/event-log.js';
import type { Incarnation } from './incarnation.js';

const BATCH_SIZE = 1_000;
const IDLE_MS = 50;

export interface FollowOptions {
  readonly group: Group;
  readonly log: EventLog;
  readonly databaseUrl: string;
  readonly incarnation: Incarnation;
  readonly signal: AbortSignal;
  /** Called repeatedly at the head of the log, on the applying connection, until it returns true. */
  readonly atTheEnd: (client: ClientBase) => Promise<boolean>;
  readonly onApplied?: (position: bigint) => void;
}

/**
 * Applies new events of the log to an unpublished incarnation, as a worker does, until `atTheEnd` returns true.
 * @throws {LogReplaced} the incarnation shows another log. Faults of Postgres pass through.
 */
export async function followLog(options: FollowOptions): Promise<void> {
  const { group, log, databaseUrl, incarnation, atTheEnd, onApplied } = options;
  const connection = await WorkerConnection.open(databaseUrl, 'plaza-job');
  const signal = AbortSignal.any([options.signal, connection.lost]);
  try {
    const { client } = connection;
    await client.query(`SELECT set_config('search_path', quote_ident($1), false)`, [incarnation.schemaName]);
    const checkpoints = CheckpointStore.ofIncarnation(incarnation.incarnation);
    const after = await checkpoints.read(client);
    const applier = new Applier(client, checkpoints, dispatcherOf(group), after);
    const subscribe = (wanted: AbortSignal) =>
      log.subscribe({ after, types: eventTypesOf(group), batchSize: BATCH_SIZE, signal: wanted });
    let caughtUp = false;
    for await (const batch of withIdleTicks(subscribe, () => IDLE_MS, signal)) {
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
