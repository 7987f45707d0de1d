import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { ProjectionStoppedError, LockLostError } from '../../projections/runner/faults.js';
import { CheckpointStore } from '../../projections/runner/checkpoint-store.js';
import { refuseOlder, versionsOf } from '../../projections/runner/projection.js';
import type { Group, Versions } from '../../projections/runner/projection.js';
import type { Target } from '../../projections/runner/target.js';
import type { EventLog } from '../log/event-log.js';
import { buildVerified } from './building/build-verified.js';
import {
  createIncarnation,
  dropIncarnation,
  findIncarnation,
  publish,
  publishedStatus,
  quarantine,
} from './incarnation.js';
import type { Incarnation } from './incarnation.js';
import { foundNetwork } from './network-identity.js';
import type { NetworkIds } from './network-identity.js';
import { forgetApplied } from '../witness/outstanding-restrictions.js';
import { readPublicationState, schemaOfRestrictions } from './recovery-state.js';
import type { PublicationState } from './recovery-state.js';
import { SessionProof } from '../recovery/detect/session-proof.js';
import { readOrigin, detectLogRollback } from '../recovery/detect/log-rollback.js';
import type { Witness } from '../witness/witness.js';

export interface ServingOptions {
  readonly group: Group;
  readonly log: EventLog;
  /** Undefined: nothing is asked of it, and whoever admits reads has to know what to make of that. */
  readonly witness?: Witness | undefined;
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** New random values; that of an incarnation of `[a-z0-9]`. */
  readonly ids: NetworkIds & { incarnation(): string };
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonic: () => number;
}

/** Workers of other versions build other tables, and need not wait for each other. */
export const servingLock = (group: Group): string => lockOf(group.name, versionsOf(group));

/** `versions`: their names in any order. */
export function lockOf(groupName: string, versions: Versions): string {
  const sorted = Object.entries(versions).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${groupName}/${JSON.stringify(Object.fromEntries(sorted))}`;
}

/**
 * The incarnation that a worker of the serving group keeps up to date: the published one if it has the code's versions;
 * else one that is built beside it and published once it has reached the end of the log. Never does older code publish
 * its read models over those of newer code by itself, as whoever reconnects during a rolling upgrade would: that is an
 * operator's act, who publishes the old incarnation and runs the old code.
 * @throws {ProjectionStoppedError} the log is not the one that the published incarnation shows, or lacks restrictions, or that one is in
 * quarantine. {@link VersionTooOldError} what is published is of a later version.
 */
export async function servingTarget(
  options: ServingOptions,
  client: ClientBase,
  signal: AbortSignal,
): Promise<Target> {
  const { group, log, ids, now, logger } = options;
  const versions = versionsOf(group);
  const state = await readPublicationState(client);
  if (state?.status === 'quarantined') throw inQuarantine(state.incarnation);
  if (state) refuseOlder(versions, state.versions, `Incarnation ${state.incarnation}, which is published,`);
  const proof = new SessionProof(options, signal);
  if (state) await provePublished(client, options, proof, state);
  const networkId = state?.networkId ?? (await foundNetwork(log, ids, now));
  let found = await findIncarnation(client, versions);
  if (found?.isPublished) return publishedTarget(found, proof);
  if (found?.isRefused) {
    // What was wrong with it is wrong still, whoever begins again: code that was mended, or Postgres.
    logger.warn({ incarnation: found.incarnation }, 'dropping a build that was refused');
    await dropIncarnation(client, found);
    found = undefined;
  }
  const tables = group.projections.map((projection) => projection.tables);
  const build =
    found ?? (await createIncarnation(client, { id: ids.incarnation(), versions, tables, now: now() }));
  logger.info({ incarnation: build.incarnation, resumed: found !== undefined }, 'building an incarnation');
  return buildTarget(options, build, { networkId, before: state?.incarnation, proof });
}

function publishedTarget(own: Incarnation, proof: SessionProof): Target {
  return {
    schema: own.schemaName,
    progress: CheckpointStore.ofIncarnation(own.incarnation),
    async caughtUp(client) {
      const status = await publishedStatus(client, own.incarnation);
      if (status === 'quarantined') throw inQuarantine(own.incarnation);
      if (!status) throw new LockLostError(`incarnation ${own.incarnation} is no longer what is published`);
      await forgetApplied(client);
      const reason = await proof.again(client, own.schemaName);
      if (reason !== undefined) await refuse(client, own.incarnation, reason);
    },
    replaced: (client, reason) => quarantine(client, own.incarnation, reason),
  };
}

interface Build {
  readonly networkId: string;
  /** What is published meanwhile; undefined: nothing. */
  readonly before: string | undefined;
  readonly proof: SessionProof;
}

function buildTarget(
  { group, log, databaseUrl, logger, now }: ServingOptions,
  own: Incarnation,
  { networkId, before, proof }: Build,
): Target {
  const published = publishedTarget(own, proof);
  let isPublished = false;
  let isBehind = false;
  return {
    ...published,
    async build(signal) {
      const verified = await buildVerified({ group, log, databaseUrl, incarnation: own, signal });
      logger.info({ incarnation: own.incarnation, verified }, 'verified the incarnation');
    },
    async caughtUp(client) {
      if (isPublished) return published.caughtUp(client);
      const proven = await proof.before(client, own.schemaName);
      if (proven === 'unknown') return;
      // With nothing published, only the groups with tables of their own know how far the log was.
      const lacks = proven.lacks ?? (await detectLogRollback(log, await readOrigin(client)));
      if (lacks !== undefined && before !== undefined) await refuse(client, before, lacks);
      const outcome = await publish(client, {
        incarnation: own.incarnation,
        networkId,
        instead: before,
        now: now(),
        quarantined: lacks,
      });
      if (outcome === 'changed') throw new LockLostError('the publication has changed during the build');
      if (outcome === 'behind') {
        if (!isBehind)
          logger.info(
            { incarnation: own.incarnation, before },
            'built; waiting to be as far as what is published',
          );
        isBehind = true;
        return;
      }
      if (lacks !== undefined) throw new ProjectionStoppedError(lacks);
      logger.info({ incarnation: own.incarnation, before }, 'published the incarnation');
      isPublished = true;
    },
    async replaced(client, reason) {
      if (isPublished) return published.replaced(client, reason);
      // Nobody has read from it: begin again.
      await dropIncarnation(client, own);
      throw new LockLostError(`dropped the unfinished incarnation ${own.incarnation}: ${reason}`);
    },
  };
}

/** A log that was set back would build an incarnation in which deleted things are there again. */
async function provePublished(
  client: ClientBase,
  { log }: ServingOptions,
  proof: SessionProof,
  state: PublicationState,
): Promise<void> {
  const reason =
    (await detectLogRollback(log, await readOrigin(client))) ??
    (await proof.again(client, schemaOfRestrictions(state)));
  if (reason !== undefined) await refuse(client, state.incarnation, reason);
}

/** Nothing is written to it, even by a worker whose log is the right one again: recovery needs it as it is. */
function inQuarantine(incarnation: string): ProjectionStoppedError {
  return new ProjectionStoppedError(
    `Incarnation ${incarnation} is in quarantine and must be recovered first.`,
  );
}

async function refuse(client: ClientBase, incarnation: string, reason: string): Promise<never> {
  await quarantine(client, incarnation, reason);
  throw new ProjectionStoppedError(reason);
}
