import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { ProjectionStoppedError, LockLostError } from '../runner/faults.js';
import { CheckpointStore } from '../runner/checkpoint-store.js';
import { rejectOlderVersions, versionsOf } from '../runner/projection.js';
import type { Group, Versions } from '../runner/projection.js';
import type { Target } from '../runner/target.js';
import type { EventLog } from '../../src/log/event-log.js';
import { buildVerified } from './building/build-verified.js';
import {
  createIncarnation,
  dropIncarnation,
  findIncarnation,
  publishIncarnation,
  publishedState,
  quarantine,
} from './incarnation.js';
import type { Incarnation } from './incarnation.js';
import { foundNetwork } from './network-identity.js';
import type { NetworkIds } from './network-identity.js';
import { deleteAppliedRestrictions } from '../../src/log/witness/outstanding-restrictions.js';
import { readPublicationState, schemaOfRestrictions } from './recovery-state.js';
import type { PublicationState } from './recovery-state.js';
import { PublicationCheck } from './detect/publication-check.js';
import { readStoreOrigin, detectLogRollback } from './detect/log-rollback.js';
import type { Witness } from '../../src/log/witness/witness.js';

export interface ServingTargetOptions {
  readonly group: Group;
  readonly log: EventLog;
  readonly witness?: Witness | undefined;
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly ids: NetworkIds & { incarnation(): string };
  readonly now: () => number;
  readonly monotonic: () => number;
}

/**
 * Name of the lock of the workers of the serving group. It contains the versions: workers of other versions build other
 * tables and need not wait.
 */
export const servingLock = (group: Group): string => lockNameOf(group.name, versionsOf(group));

export function lockNameOf(groupName: string, versions: Versions): string {
  const sorted = Object.entries(versions).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${groupName}/${JSON.stringify(Object.fromEntries(sorted))}`;
}

/**
 * Returns the incarnation for a worker of the serving group: the published one if it has the code's versions;
 * else a build beside it, published at the head of the log.
 *
 * Older code never publishes over newer code by itself, as a worker that reconnects during a rolling upgrade
 * could. An operator publishes the old incarnation and runs the old code instead.
 * @throws {ProjectionStoppedError} a quarantine, a log rollback or missing restrictions.
 * @throws {VersionTooOldError} the publication is of a later version.
 */
export async function servingTarget(
  options: ServingTargetOptions,
  client: ClientBase,
  signal: AbortSignal,
): Promise<Target> {
  const { group, log, ids, now, logger } = options;
  const versions = versionsOf(group);
  const state = await readPublicationState(client);
  if (state?.status === 'quarantined') throw inQuarantine(state.incarnation);
  if (state) rejectOlderVersions(versions, state.versions, `The published incarnation ${state.incarnation}`);
  const proof = new PublicationCheck(options, signal);
  if (state) await provePublished(client, options, proof, state);
  const networkId = state?.networkId ?? (await foundNetwork(log, ids, now));
  let found = await findIncarnation(client, versions);
  if (found?.isPublished) return publishedTarget(found, proof);
  if (found?.isRefused) {
    // A resumed build stays wrong, even with repaired code or a repaired Postgres.
    logger.warn(
      { incarnation: found.incarnation },
      'dropping an incarnation that stopped before its publication, since its tables may be wrong; building a new one',
    );
    await dropIncarnation(client, found);
    found = undefined;
  }
  const tables = group.projections.map((projection) => projection.tables);
  const build =
    found ?? (await createIncarnation(client, { id: ids.incarnation(), versions, tables, now: now() }));
  logger.info({ incarnation: build.incarnation, resumed: found !== undefined }, 'building an incarnation');
  return buildTarget(options, build, { networkId, before: state?.incarnation, proof });
}

function publishedTarget(own: Incarnation, proof: PublicationCheck) {
  const deleteApplied = async (client: ClientBase): Promise<void> => {
    const state = await publishedState(client, own.incarnation);
    if (state?.status === 'quarantined') throw inQuarantine(own.incarnation);
    if (!state)
      throw new LockLostError(
        `incarnation ${own.incarnation} is no longer published; this worker looks up which one it must update`,
      );
    if (state.isHidingAny) await deleteAppliedRestrictions(client);
  };
  return {
    schema: own.schemaName,
    checkpoints: CheckpointStore.ofIncarnation(own.incarnation),
    async onCaughtUp(client) {
      await deleteApplied(client);
      const reason = await proof.checkIfDue(client, own.schemaName);
      if (reason !== undefined) await refuse(client, own.incarnation, reason);
    },
    // Rows that a long backlog has applied would use up the maximum until its end.
    onBacklog: deleteApplied,
    onLogReplaced: (client, reason) => quarantine(client, own.incarnation, reason),
  } satisfies Target;
}

interface Build {
  readonly networkId: string;
  readonly before: string | undefined;
  readonly proof: PublicationCheck;
}

function buildTarget(
  { group, log, databaseUrl, logger, now }: ServingTargetOptions,
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
      const rows = verified.reduce((sum, table) => sum + table.rows, 0);
      logger.info(
        { incarnation: own.incarnation, tables: verified.length, rows },
        'verified the incarnation',
      );
      logger.debug({ incarnation: own.incarnation, verified }, 'rows and digest of each verified table');
    },
    async onCaughtUp(client) {
      if (isPublished) return published.onCaughtUp(client);
      const proven = await proof.checkBeforePublication(client, own.schemaName);
      if (proven === 'unknown') return;
      // With nothing published, only the checkpoints of the fixed groups reveal a log rollback.
      const reason = proven.lacks ?? (await detectLogRollback(log, await readStoreOrigin(client)));
      if (reason !== undefined && before !== undefined) await refuse(client, before, reason);
      const outcome = await publishIncarnation(client, {
        incarnation: own.incarnation,
        networkId,
        instead: before,
        now: now(),
        quarantined: reason,
      });
      if (outcome === 'changed')
        throw new LockLostError(
          'the publication has changed while this incarnation was built, so it was not published; starting again',
        );
      if (outcome === 'behind') {
        if (!isBehind)
          logger.info(
            { incarnation: own.incarnation, before },
            'built; catching up with the published incarnation',
          );
        isBehind = true;
        return;
      }
      if (reason !== undefined) throw new ProjectionStoppedError(reason);
      logger.info(
        { incarnation: own.incarnation, before },
        'published the incarnation; reads are answered from it now',
      );
      isPublished = true;
    },
    async onBacklog(client) {
      if (isPublished) await published.onBacklog(client);
    },
    async onLogReplaced(client, reason) {
      if (isPublished) return published.onLogReplaced(client, reason);
      await dropIncarnation(client, own);
      throw new LockLostError(
        `the log was replaced during the build; dropped the unfinished incarnation ${own.incarnation}: ${reason}`,
      );
    },
  };
}

async function provePublished(
  client: ClientBase,
  { log }: ServingTargetOptions,
  proof: PublicationCheck,
  state: PublicationState,
): Promise<void> {
  const reason =
    (await detectLogRollback(log, await readStoreOrigin(client))) ??
    (await proof.checkIfDue(client, schemaOfRestrictions(state)));
  if (reason !== undefined) await refuse(client, state.incarnation, reason);
}

/**
 * Nothing may write to a quarantined incarnation, even with the right log restored: the recovery needs it
 * unchanged.
 */
function inQuarantine(incarnation: string): ProjectionStoppedError {
  return new ProjectionStoppedError(
    `Incarnation ${incarnation} is in quarantine and must be recovered first: see plaza recovery plan.`,
  );
}

async function refuse(client: ClientBase, incarnation: string, reason: string): Promise<never> {
  await quarantine(client, incarnation, reason);
  throw new ProjectionStoppedError(reason);
}
