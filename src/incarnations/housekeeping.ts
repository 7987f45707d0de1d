import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { groupLock } from '../../projections/runner/group-runner.js';
import type { Versions } from '../../projections/runner/projection.js';
import { dropIncarnation } from './incarnation.js';
import { lockOf } from './serving-target.js';
import { openStates } from '../jobs/job.js';

interface Row {
  readonly incarnation: string;
  readonly schema_name: string;
  readonly versions: Versions;
  /** It was published, or is of the versions that are: nobody builds it any more. */
  readonly is_over: boolean;
}

/** What nobody reads or asked to be kept, of before $1. */
const superfluous = `
  SELECT incarnation, schema_name, versions, retired_at IS NOT NULL OR coalesce(versions = (
    SELECT other.versions FROM recovery.publication JOIN recovery.incarnation other USING (incarnation)), false) AS is_over
  FROM recovery.incarnation
  WHERE coalesce(retired_at, created_at) < $1
    AND NOT EXISTS (SELECT FROM recovery.publication WHERE publication.incarnation = incarnation.incarnation)
    AND NOT EXISTS (SELECT FROM recovery.job WHERE job.incarnation = incarnation.incarnation AND state = ANY ($2))`;

/**
 * Drops what was published before and what was never finished, as after a deployment that was given up, once its time has
 * come; but what somebody is still building.
 */
export async function dropSuperfluous(
  client: ClientBase,
  { groupName, before, logger }: { groupName: string; before: Date; logger: Pick<Logger, 'info'> },
): Promise<void> {
  const { rows } = await client.query<Row>(superfluous, [before, [...openStates, 'paused']]);
  for (const { incarnation, schema_name: schemaName, versions, is_over: isOver } of rows) {
    const drop = () => dropIncarnation(client, { incarnation, schemaName });
    if (isOver) await drop();
    else if (!(await unlessBuilt(client, groupLock(lockOf(groupName, versions)), drop))) continue;
    logger.info({ incarnation }, 'dropped an incarnation that is not needed any more');
  }
}

/** False: a worker of these versions is there, and nothing was done. */
async function unlessBuilt(client: ClientBase, lock: string, work: () => Promise<void>): Promise<boolean> {
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
