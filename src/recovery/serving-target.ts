import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { Halt, SteppedAside } from '../../projections/runner/faults.js';
import { Progress } from '../../projections/runner/progress.js';
import { typesOf, versionsOf } from '../../projections/runner/projection.js';
import type { Group } from '../../projections/runner/projection.js';
import type { Target } from '../../projections/runner/target.js';
import { LogReplaced } from '../log/event-log.js';
import type { EventLog } from '../log/event-log.js';
import {
  analyzeIncarnation,
  createIncarnation,
  dropIncarnation,
  findIncarnation,
  publish,
  quarantine,
} from './incarnation.js';
import type { Incarnation } from './incarnation.js';
import { foundNetwork, networkOf } from './network.js';
import type { NetworkIds } from './network.js';
import { readRecoveryState } from './recovery-state.js';
import type { RecoveryState } from './recovery-state.js';

export interface ServingOptions {
  readonly group: Group;
  readonly log: EventLog;
  readonly logger: Logger;
  /** New random values; that of an incarnation of `[a-z0-9]`. */
  readonly ids: NetworkIds & { incarnation(): string };
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * The incarnation that a worker of the serving group keeps up to date: the published one if it has the code's versions;
 * else one that is built beside it and published once it has reached the end of the log.
 * @throws {Halt} the log is not the one that the published incarnation shows, or that one is in quarantine.
 */
export async function servingTarget(
  options: ServingOptions,
  client: ClientBase,
  signal: AbortSignal,
): Promise<Target> {
  const { group, log, ids, now, logger } = options;
  const versions = versionsOf(group);
  const state = await readRecoveryState(client);
  const networkId = state ? await sameNetwork(client, log, state) : await foundNetwork(log, ids, now);
  const found = await findIncarnation(client, versions);
  if (found?.isPublished) return targetOf(options, found, networkId, state?.incarnation);
  if (state) await proveReplaceable(client, options, state, signal);
  const tables = group.projections.map((projection) => projection.tables);
  const build =
    found ?? (await createIncarnation(client, { id: ids.incarnation(), versions, tables, now: now() }));
  logger.info({ incarnation: build.incarnation, resumed: found !== undefined }, 'building an incarnation');
  return targetOf(options, build, networkId, state?.incarnation);
}

function targetOf(
  { logger }: ServingOptions,
  own: Incarnation,
  networkId: string,
  before: string | undefined,
): Target {
  let isPublished = own.incarnation === before;
  return {
    schema: own.schemaName,
    progress: Progress.ofIncarnation(own.incarnation),
    async caughtUp(client) {
      if (isPublished) return;
      await analyzeIncarnation(client, own);
      if (!(await publish(client, own.incarnation, networkId, before)))
        throw new SteppedAside('the publication has changed during the build');
      isPublished = true;
      logger.info({ incarnation: own.incarnation, before }, 'published the incarnation');
    },
    async replaced(client, reason) {
      if (isPublished) return quarantine(client, own.incarnation, reason);
      // Nobody has read from it: begin again.
      await dropIncarnation(client, own);
      throw new SteppedAside(`dropped the unfinished incarnation ${own.incarnation}: ${reason}`);
    },
  };
}

/** The id in the log's first event must be the one that was published. */
async function sameNetwork(client: ClientBase, log: EventLog, state: RecoveryState): Promise<string> {
  const found = await networkOf(log);
  if (found === state.networkId) return found;
  const what = found === undefined ? 'has no network' : `is that of network ${found}`;
  return refuse(client, state, `The log ${what}; what is published shows network ${state.networkId}.`);
}

/** A log that was set back would build an incarnation in which deleted things are there again. */
async function proveReplaceable(
  client: ClientBase,
  { log, group }: ServingOptions,
  state: RecoveryState,
  signal: AbortSignal,
): Promise<void> {
  if (state.status === 'quarantined')
    throw new Halt(`Incarnation ${state.incarnation} is in quarantine and must be recovered first.`);
  const after = await Progress.ofIncarnation(state.incarnation).read(client);
  if (!after) return;
  try {
    // The first answer comes after the proof that the log still has this event.
    for await (const _ of log.subscribe({ after, types: typesOf(group), batchSize: 1, signal })) break;
    signal.throwIfAborted();
  } catch (error) {
    if (!(error instanceof LogReplaced)) throw error;
    await refuse(client, state, error.message);
  }
}

async function refuse(client: ClientBase, state: RecoveryState, reason: string): Promise<never> {
  await quarantine(client, state.incarnation, reason);
  throw new Halt(reason);
}
