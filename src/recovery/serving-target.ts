import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { Halt, SteppedAside } from '../../projections/runner/faults.js';
import { Progress } from '../../projections/runner/progress.js';
import { refuseOlder, typesOf, versionsOf } from '../../projections/runner/projection.js';
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
  publishedStatus,
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

/** Workers of other versions build other tables, and need not wait for each other. */
export const servingLock = (group: Group): string => `${group.name}/${JSON.stringify(versionsOf(group))}`;

/**
 * The incarnation that a worker of the serving group keeps up to date: the published one if it has the code's versions;
 * else one that is built beside it and published once it has reached the end of the log. Never does older code publish
 * its read models over those of newer code by itself, as whoever reconnects during a rolling upgrade would: that is an
 * operator's act, who publishes the old incarnation and runs the old code.
 * @throws {Halt} the log is not the one that the published incarnation shows, or that one is in quarantine.
 * {@link Outdated} what is published is of a later version.
 */
export async function servingTarget(
  options: ServingOptions,
  client: ClientBase,
  signal: AbortSignal,
): Promise<Target> {
  const { group, log, ids, now, logger } = options;
  const versions = versionsOf(group);
  const state = await readRecoveryState(client);
  if (state?.status === 'quarantined') throw inQuarantine(state.incarnation);
  if (state) refuseOlder(versions, state.versions, `Incarnation ${state.incarnation}, which is published,`);
  const networkId = state ? await sameNetwork(client, log, state) : await foundNetwork(log, ids, now);
  const found = await findIncarnation(client, versions);
  if (found?.isPublished) return publishedTarget(found);
  if (state) await proveReplaceable(client, options, state, signal);
  const tables = group.projections.map((projection) => projection.tables);
  const build =
    found ?? (await createIncarnation(client, { id: ids.incarnation(), versions, tables, now: now() }));
  logger.info({ incarnation: build.incarnation, resumed: found !== undefined }, 'building an incarnation');
  return buildTarget(options, build, networkId, state?.incarnation);
}

function publishedTarget(own: Incarnation): Target {
  return {
    schema: own.schemaName,
    progress: Progress.ofIncarnation(own.incarnation),
    async caughtUp(client) {
      const status = await publishedStatus(client, own.incarnation);
      if (status === 'quarantined') throw inQuarantine(own.incarnation);
      if (!status) throw new SteppedAside(`incarnation ${own.incarnation} is no longer what is published`);
    },
    replaced: (client, reason) => quarantine(client, own.incarnation, reason),
  };
}

function buildTarget(
  { logger, now }: ServingOptions,
  own: Incarnation,
  networkId: string,
  before: string | undefined,
): Target {
  const published = publishedTarget(own);
  let stage: 'building' | 'waiting' | 'published' = 'building';
  return {
    ...published,
    async caughtUp(client) {
      if (stage === 'published') return published.caughtUp(client);
      if (stage === 'building') await analyzeIncarnation(client, own);
      const outcome = await publish(client, {
        incarnation: own.incarnation,
        networkId,
        instead: before,
        now: now(),
      });
      if (outcome === 'changed') throw new SteppedAside('the publication has changed during the build');
      if (outcome === 'behind' && stage !== 'waiting')
        logger.info(
          { incarnation: own.incarnation, before },
          'built; waiting to be as far as what is published',
        );
      if (outcome === 'published')
        logger.info({ incarnation: own.incarnation, before }, 'published the incarnation');
      stage = outcome === 'published' ? 'published' : 'waiting';
    },
    async replaced(client, reason) {
      if (stage === 'published') return published.replaced(client, reason);
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

/** Nothing is written to it, even by a worker whose log is the right one again: recovery needs it as it is. */
function inQuarantine(incarnation: string): Halt {
  return new Halt(`Incarnation ${incarnation} is in quarantine and must be recovered first.`);
}

async function refuse(client: ClientBase, state: RecoveryState, reason: string): Promise<never> {
  await quarantine(client, state.incarnation, reason);
  throw new Halt(reason);
}
