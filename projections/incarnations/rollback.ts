import { isDeepStrictEqual } from 'node:util';
import type { ClientBase, Pool } from 'pg';
import { versionsOf } from '../runner/projection.js';
import type { Versions } from '../runner/projection.js';
import { LogReplaced } from '../../src/log/event-log.js';
import { RateMeter } from './building/rate-meter.js';
import { publishIncarnation } from './incarnation.js';
import type { Incarnation } from './incarnation.js';
import { readPublicationState } from './recovery-state.js';
import type { JobContext } from '../jobs/job-context.js';
import { JobError } from '../jobs/job-error.js';
import { followLog } from './follow-log.js';
import { recordJobIncarnation } from '../jobs/job.js';
import type { Job } from '../jobs/job.js';

export interface RetiredIncarnation extends Incarnation {
  readonly versions: Versions;
  readonly retiredAt: number;
  readonly position: string | null;
}

export async function retiredIncarnations(
  database: Pool | ClientBase,
): Promise<readonly RetiredIncarnation[]> {
  const { rows } = await database.query<{
    incarnation: string;
    schema_name: string;
    versions: Versions;
    retired_at: Date;
    applied_position: string | null;
  }>(
    `SELECT incarnation, schema_name, versions, retired_at, applied_position FROM recovery.incarnation
    WHERE retired_at IS NOT NULL AND NOT EXISTS
      (SELECT FROM recovery.publication WHERE publication.incarnation = incarnation.incarnation)
    ORDER BY retired_at DESC, created_at DESC`,
  );
  return rows.map((row) => ({
    incarnation: row.incarnation,
    schemaName: row.schema_name,
    versions: row.versions,
    retiredAt: row.retired_at.getTime(),
    position: row.applied_position,
  }));
}

export function rollbackObstacle(
  retired: RetiredIncarnation | undefined,
  versions: Versions,
): string | undefined {
  if (!retired) return 'No earlier incarnation is kept: a rollback is not possible.';
  if (isDeepStrictEqual(retired.versions, versions)) return undefined;
  return `Incarnation ${retired.incarnation} was built by other versions of the projections than this release has. Start the release that built it, or rebuild.`;
}

/**
 * Publishes a retired incarnation again, after it has caught up with the log: the requested one, or the one retired
 * last. The replaced one is retired in turn, so a second rollback undoes the first.
 * @throws {JobError} a rollback is not possible. Faults of log and Postgres pass through.
 */
export async function rollback(job: Job, context: JobContext): Promise<string> {
  const { client, group, now, log, ids } = context;
  const state = await readPublicationState(client);
  if (!state)
    throw new JobError(
      'A rollback is not possible: nothing is published that an earlier incarnation could replace.',
    );
  if (state.status === 'quarantined')
    throw new JobError(
      `The network is in quarantine (${state.reason}): a rollback is not possible; run plaza recovery plan, then plaza recovery apply.`,
    );
  const retired = await retiredIncarnations(client);
  const target = retired.find(
    ({ incarnation }) => incarnation === (job.incarnation ?? retired[0]?.incarnation),
  );
  const obstacle = rollbackObstacle(target, versionsOf(group));
  if (!target || obstacle !== undefined)
    throw new JobError(obstacle ?? 'The requested incarnation is no longer kept.');
  await recordJobIncarnation(client, job.id, target.incarnation);
  context.takesPlaceOf(state.incarnation);
  const as = ids.incarnation();
  const summary = `the earlier read models are published as incarnation ${as}, in place of ${state.incarnation}`;
  const head = Number((await log.head()) ?? 0n);
  const rateMeter = new RateMeter();
  const from = Number(target.position ?? 0);
  await followLog({
    ...context,
    incarnation: target,
    onApplied: (position) => {
      const done = Number(position) - from;
      context.report({ step: 'catching up', done, total: head - from, rate: rateMeter.of(done) });
    },
    atTheEnd: async (applying) => {
      const outcome = await publishIncarnation(applying, {
        incarnation: target.incarnation,
        as,
        networkId: state.networkId,
        instead: state.incarnation,
        now: now(),
        alongside: async () => {
          await renameInJobs(applying, target.incarnation, as);
          await noteRolledBack(applying, state.incarnation);
          await context.conclude(applying, summary);
        },
      });
      if (outcome === 'changed')
        throw new JobError(
          'The publication has changed meanwhile. See plaza recovery status, then start again.',
        );
      return outcome === 'published';
    },
  }).catch(asJobError(target));
  return summary;
}

async function renameInJobs(client: ClientBase, incarnation: string, as: string): Promise<void> {
  await client.query('UPDATE recovery.job SET incarnation = $2 WHERE incarnation = $1', [incarnation, as]);
}

async function noteRolledBack(client: ClientBase, incarnation: string): Promise<void> {
  await client.query(
    `UPDATE recovery.job SET state = 'rolled_back' WHERE incarnation = $1 AND state = 'published' AND kind <> 'rollback'`,
    [incarnation],
  );
}

const asJobError =
  ({ incarnation }: Incarnation) =>
  (error: unknown): never => {
    if (!(error instanceof LogReplaced)) throw error;
    throw new JobError(
      `Incarnation ${incarnation} shows a log that no longer exists (${error.message}) and cannot be published again.`,
    );
  };
