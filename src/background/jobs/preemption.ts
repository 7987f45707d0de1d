import type { ClientBase, Pool } from 'pg';
import { runnableStates } from '../../../projections/jobs/job.js';

interface Row {
  readonly is_recovery_asked: boolean;
  readonly incarnation: string | null;
  readonly status: 'serving' | 'quarantined' | null;
  readonly reason: string | null;
  /** True: the published incarnation is the one of this job, which is about to end. */
  readonly is_own: boolean | null;
}

/**
 * Returns why a rebuild or rollback must end, in a sentence for an operator; undefined: it may continue. Two reasons:
 * an operator requested a recovery, which goes first; or the publication that the job replaces (`instead`) has
 * changed or is in quarantine. `instead` undefined: only the first is checked.
 */
export async function preemptionReason(
  database: Pool | ClientBase,
  jobId: string,
  instead: string | undefined,
): Promise<string | undefined> {
  const { rows } = await database.query<Row>(
    `SELECT EXISTS (SELECT FROM recovery.job WHERE kind = 'recover' AND state = ANY ($2)) AS is_recovery_asked,
      publication.incarnation, publication.status, publication.reason,
      publication.incarnation = job.incarnation AS is_own
    FROM recovery.job LEFT JOIN recovery.publication ON true WHERE job.id = $1`,
    [jobId, runnableStates],
  );
  const [row] = rows;
  if (!row || row.is_own === true) return undefined;
  if (row.is_recovery_asked)
    return 'A recovery was requested. It has priority and rebuilds every read model: wait for it (plaza recovery status), and start again if something is still wrong.';
  if (instead === undefined) return undefined;
  if (row.incarnation !== instead)
    return `The publication has changed meanwhile, to ${row.incarnation === null ? 'nothing' : `incarnation ${row.incarnation}`}. See plaza recovery status, then start again.`;
  if (row.status === 'quarantined')
    return `The network is in quarantine (${row.reason}): run plaza recovery plan, then plaza recovery apply.`;
  return undefined;
}
