import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { groupLock } from '../runner/group-runner.js';
import type { Versions } from '../runner/projection.js';
import { dropIncarnation } from './incarnation.js';
import { lockNameOf } from './serving-target.js';
import { runnableStates } from '../jobs/job.js';

interface Row {
  readonly incarnation: string;
  readonly schema_name: string;
  readonly versions: Versions;
  readonly is_over: boolean;
}

const obsoleteSql = `
  SELECT incarnation, schema_name, versions, retired_at IS NOT NULL OR coalesce(versions = (
    SELECT other.versions FROM recovery.publication JOIN recovery.incarnation other USING (incarnation)), false) AS is_over
  FROM recovery.incarnation
  WHERE coalesce(retired_at, created_at) < $1 AND NOT versions ? 'as_of'
    AND NOT EXISTS (SELECT FROM recovery.publication WHERE publication.incarnation = incarnation.incarnation)
    AND NOT EXISTS (SELECT FROM recovery.job WHERE job.incarnation = incarnation.incarnation AND state = ANY ($2))`;

/**
 * Drops incarnations that were retired, or whose build began, before `before`: a rollback no longer needs them, or
 * their deployment was abandoned. A build with a live worker, or of an unfinished job, stays.
 */
export async function dropObsoleteIncarnations(
  client: ClientBase,
  { groupName, before, logger }: { groupName: string; before: Date; logger: Pick<Logger, 'info'> },
): Promise<void> {
  const { rows } = await client.query<Row>(obsoleteSql, [before, [...runnableStates, 'paused']]);
  for (const { incarnation, schema_name: schemaName, versions, is_over: isOver } of rows) {
    const drop = () => dropIncarnation(client, { incarnation, schemaName });
    if (isOver) await drop();
    else if (!(await unlessInBuild(client, groupLock(lockNameOf(groupName, versions)), drop))) continue;
    logger.info(
      { incarnation },
      'dropped an incarnation that was retired long ago, or whose build was abandoned',
    );
  }
}

async function unlessInBuild(client: ClientBase, lock: string, work: () => Promise<void>): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(
    'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held',
    [lock],
  );
  if (!rows[0]?.held) return false;
  try {
    await work();
  } finally {
    await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [lock]);
  }
  return true;
}
