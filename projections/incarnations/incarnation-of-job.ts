import { versionsOf } from '../runner/projection.js';
import { createIncarnation, dropIncarnation } from './incarnation.js';
import type { Incarnation } from './incarnation.js';
import type { JobContext } from '../jobs/job-context.js';
import { recordJobIncarnation } from '../jobs/job.js';
import type { Job } from '../jobs/job.js';

/** Returns the incarnation that the job has begun to build, if it has this release's versions; else creates one. */
export async function findOrCreateIncarnation(job: Job, context: JobContext): Promise<Incarnation> {
  const { client, group, ids, now } = context;
  const versions = versionsOf(group);
  if (job.incarnation !== null) {
    const { rows } = await client.query<{ schema_name: string }>(
      'SELECT schema_name FROM recovery.incarnation WHERE incarnation = $1 AND versions = $2',
      [job.incarnation, versions],
    );
    if (rows[0]) return { incarnation: job.incarnation, schemaName: rows[0].schema_name };
    await dropUnlessPublishedOrRetired(job.incarnation, context);
  }
  const id = ids.incarnation();
  // First, so that no serving worker adopts the build.
  await recordJobIncarnation(client, job.id, id);
  const tables = group.projections.map((projection) => projection.tables);
  return createIncarnation(client, { id, versions, tables, now: now() });
}

export async function dropUnlessPublishedOrRetired(
  incarnation: string,
  { client }: Pick<JobContext, 'client'>,
): Promise<void> {
  const { rows } = await client.query<{ schema_name: string }>(
    `SELECT schema_name FROM recovery.incarnation
    WHERE incarnation = $1 AND retired_at IS NULL
      AND NOT EXISTS (SELECT FROM recovery.publication WHERE publication.incarnation = $1)`,
    [incarnation],
  );
  if (rows[0]) await dropIncarnation(client, { incarnation, schemaName: rows[0].schema_name });
}
