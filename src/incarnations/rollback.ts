import { isDeepStrictEqual } from 'node:util';
import type { ClientBase, Pool } from 'pg';
import { versionsOf } from '../../projections/runner/projection.js';
import type { Versions } from '../../projections/runner/projection.js';
import { LogReplaced } from '../log/event-log.js';
import { RateMeter } from './building/rate-meter.js';
import { publish } from './incarnation.js';
import type { Incarnation } from './incarnation.js';
import { readPublicationState } from './recovery-state.js';
import type { JobContext } from '../jobs/job-context.js';
import { JobError } from '../jobs/job-error.js';
import { follow } from './follow.js';
import { noteIncarnation } from '../jobs/job.js';
import type { Job } from '../jobs/job.js';

/** An incarnation that was published before. */
export interface Retired extends Incarnation {
  readonly versions: Versions;
  /** Unix milliseconds. */
  readonly retiredAt: number;
  /** Of the newest event that it shows; null: none. */
  readonly position: string | null;
}

/** Those that are still there, the one that was published last first. */
export async function retiredIncarnations(database: Pool | ClientBase): Promise<readonly Retired[]> {
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

/** Why there is nothing to go back to; undefined: there is. */
export function whyNoRollback(retired: Retired | undefined, versions: Versions): string | undefined {
  if (!retired) return 'No earlier incarnation is kept: there is nothing to go back to.';
  if (isDeepStrictEqual(retired.versions, versions)) return undefined;
  return `Incarnation ${retired.incarnation} was built by other versions of the projections than this release has; start the release that built it, or rebuild.`;
}

/**
 * Publishes again what was published before, after it was brought to the end of the log. What it takes the place of is
 * kept in its turn, so that this can be undone the same way.
 * @throws {JobError} and what log and Postgres throw.
 */
export async function rollback(job: Job, context: JobContext): Promise<string> {
  const { client, group, now, log, ids } = context;
  const state = await readPublicationState(client);
  if (!state) throw new JobError('Nothing is published; there is nothing to go back from.');
  if (state.status === 'quarantined')
    throw new JobError(
      `The network is in quarantine (${state.reason}): only plaza recovery apply leads out of it.`,
    );
  const kept = await retiredIncarnations(client);
  const target = kept.find(({ incarnation }) => incarnation === (job.incarnation ?? kept[0]?.incarnation));
  const why = whyNoRollback(target, versionsOf(group));
  if (!target || why !== undefined) throw new JobError(why ?? 'It is not kept any more.');
  await noteIncarnation(client, job.id, target.incarnation);
  context.takesPlaceOf(state.incarnation);
  const as = ids.incarnation();
  const said = `what was kept is published again, now as incarnation ${as}, in place of ${state.incarnation}`;
  const head = Number((await log.head()) ?? 0n);
  const pace = new RateMeter();
  const from = Number(target.position ?? 0);
  await follow({
    ...context,
    incarnation: target,
    onApplied: (position) => {
      const done = Number(position) - from;
      context.report({ step: 'catching up', done, total: head - from, rate: pace.of(done) });
    },
    atTheEnd: async (applying) => {
      const outcome = await publish(applying, {
        incarnation: target.incarnation,
        as,
        networkId: state.networkId,
        instead: state.incarnation,
        now: now(),
        alongside: async () => {
          await renameInJobs(applying, target.incarnation, as);
          await noteRolledBack(applying, state.incarnation);
          await context.conclude(applying, said);
        },
      });
      if (outcome === 'changed')
        throw new JobError('What is published has changed meanwhile; look at it and begin again.');
      return outcome === 'published';
    },
  }).catch(asFault(target));
  return said;
}

async function renameInJobs(client: ClientBase, incarnation: string, as: string): Promise<void> {
  await client.query('UPDATE recovery.job SET incarnation = $2 WHERE incarnation = $1', [incarnation, as]);
}

/** Of the job that has published it. */
async function noteRolledBack(client: ClientBase, incarnation: string): Promise<void> {
  await client.query(
    `UPDATE recovery.job SET state = 'rolled_back' WHERE incarnation = $1 AND state = 'published' AND kind <> 'rollback'`,
    [incarnation],
  );
}

const asFault =
  ({ incarnation }: Incarnation) =>
  (error: unknown): never => {
    if (!(error instanceof LogReplaced)) throw error;
    throw new JobError(
      `Incarnation ${incarnation} shows a log that there is no more (${error.message}): it cannot be published again.`,
    );
  };
