import type { ClientBase, Pool } from 'pg';
import { openStates } from './job.js';

interface Row {
  readonly is_recovery_asked: boolean;
  readonly incarnation: string | null;
  readonly status: 'serving' | 'quarantined' | null;
  readonly reason: string | null;
  /** The job has published what it was to, and is over in a moment. */
  readonly is_own: boolean | null;
}

/**
 * Why nobody should wait for a rebuild or a rollback any more, in words for an operator; undefined: it may go on. A recovery
 * comes first, and what takes the place of something else than it was asked for is never published. `instead`: what it is
 * to take the place of; undefined: of nothing that is published.
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
    [jobId, openStates],
  );
  const [row] = rows;
  if (!row || row.is_own === true) return undefined;
  if (row.is_recovery_asked)
    return 'A recovery was asked for, which comes first and builds every read model anew: wait for it (plaza recovery status), and begin again if something is still wrong then.';
  if (instead === undefined) return undefined;
  if (row.incarnation !== instead)
    return `What is published has changed meanwhile, to ${row.incarnation === null ? 'nothing' : `incarnation ${row.incarnation}`}; look at it (plaza recovery status) and begin again.`;
  if (row.status === 'quarantined')
    return `The network is in quarantine (${row.reason}), out of which only a recovery leads: see plaza recovery plan, then plaza recovery apply.`;
  return undefined;
}
