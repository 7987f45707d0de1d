import type { ClientBase, Pool } from 'pg';
import { z } from 'zod';
import { announceWorkSql } from '../../src/base/store/notification-listener.js';

/** A worker runs the jobs in these states. A paused job is unfinished too, but waits for an operator. */
export const runnableStates = ['requested', 'running', 'verifying'] as const;

/**
 * Times are Unix milliseconds. `names`: projections to rebuild; empty: all projections that answer reads.
 * `reseedWitness`: a recovery first fills the witness with the restrictions of the log.
 */
export const jobShape = z.strictObject({
  id: z.string(),
  kind: z.enum(['rebuild', 'recover', 'rollback']),
  names: z.array(z.string()).readonly(),
  reseedWitness: z.boolean(),
  requestedBy: z.string(),
  reason: z.string().nullable(),
  requestedAt: z.number(),
  state: z.enum([...runnableStates, 'paused', 'published', 'failed', 'rolled_back']),
  incarnation: z.string().nullable(),
  step: z.string().nullable(),
  done: z.number(),
  total: z.number().nullable(),
  rate: z.number().nullable(),
  message: z.string().nullable(),
  updatedAt: z.number(),
});

export type Job = z.infer<typeof jobShape>;
export type JobKind = Job['kind'];
export type JobState = Job['state'];
export type JobProgress = Pick<Job, 'step' | 'done' | 'total' | 'rate'> & { readonly isVerifying?: boolean };

/** Long work that an operator requested: a job, or an as-of build. */
export type RequestedWork = Pick<
  Job,
  'requestedBy' | 'requestedAt' | 'incarnation' | 'step' | 'done' | 'total' | 'rate' | 'message' | 'updatedAt'
>;

type Database = Pool | ClientBase;

export interface RequestedWorkRow {
  readonly requested_by: string;
  readonly requested_at: Date;
  readonly incarnation: string | null;
  readonly step: string | null;
  readonly done: string;
  readonly total: string | null;
  readonly rate: number | null;
  readonly message: string | null;
  readonly updated_at: Date;
}

interface Row extends RequestedWorkRow {
  readonly id: string;
  readonly kind: JobKind;
  readonly names: string[];
  readonly reseed_witness: boolean;
  readonly reason: string | null;
  readonly state: JobState;
}

export const requestedWorkOf = (row: RequestedWorkRow): RequestedWork => ({
  requestedBy: row.requested_by,
  requestedAt: row.requested_at.getTime(),
  incarnation: row.incarnation,
  step: row.step,
  done: Number(row.done),
  total: row.total === null ? null : Number(row.total),
  rate: row.rate,
  message: row.message,
  updatedAt: row.updated_at.getTime(),
});

const jobOf = (row: Row): Job => ({
  ...requestedWorkOf(row),
  id: row.id,
  kind: row.kind,
  names: row.names,
  reseedWitness: row.reseed_witness,
  reason: row.reason,
  state: row.state,
});

export interface JobRequest {
  readonly id: string;
  readonly kind: JobKind;
  readonly names: readonly string[];
  readonly reseedWitness?: boolean | undefined;
  readonly requestedBy: string;
  readonly reason: string | undefined;
  readonly now: number;
}

/**
 * Returns the newest unfinished job of this kind and these names; it may be paused. A repeated request resumes this
 * job and creates no other one.
 */
export async function findUnfinishedJob(
  database: Database,
  kind: JobKind,
  names: readonly string[],
): Promise<Job | undefined> {
  const { rows } = await database.query<Row>(
    `SELECT * FROM recovery.job WHERE kind = $1 AND names = $2 AND state = ANY ($3)
    ORDER BY requested_at DESC LIMIT 1`,
    [kind, names, [...runnableStates, 'paused']],
  );
  return rows[0] && jobOf(rows[0]);
}

export async function requestJob(database: Database, request: JobRequest): Promise<void> {
  const { id, kind, names, reseedWitness = false, requestedBy, reason, now } = request;
  await database.query(
    `INSERT INTO recovery.job (id, kind, names, reseed_witness, requested_by, reason, requested_at, state, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, 'requested', $7) RETURNING ${announceWorkSql}`,
    [id, kind, names, reseedWitness, requestedBy, reason ?? null, new Date(now)],
  );
}

export async function findJob(database: Database, id: string): Promise<Job | undefined> {
  const { rows } = await database.query<Row>('SELECT * FROM recovery.job WHERE id = $1', [id]);
  return rows[0] && jobOf(rows[0]);
}

export async function listJobs(database: Database, limit: number): Promise<readonly Job[]> {
  const { rows } = await database.query<Row>(
    'SELECT * FROM recovery.job ORDER BY requested_at DESC LIMIT $1',
    [limit],
  );
  return rows.map(jobOf);
}

/**
 * Returns the next job to run: first one that was started already, then a recovery, then the oldest. Paused jobs are
 * left out: they wait for an operator.
 */
export async function nextRunnableJob(database: Database): Promise<Job | undefined> {
  const { rows } = await database.query<Row>(
    `SELECT * FROM recovery.job WHERE state = ANY ($1)
    ORDER BY state = 'requested', kind <> 'recover', requested_at LIMIT 1`,
    [runnableStates],
  );
  return rows[0] && jobOf(rows[0]);
}

/**
 * Changes the state and the message of a job. Returns false and changes nothing if the job is in none of the states
 * `from`. `now`: Unix milliseconds.
 */
export async function moveJob(
  database: Database,
  id: string,
  from: readonly JobState[],
  to: JobState,
  now: number,
  message?: string,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE recovery.job SET state = $3, message = $4, updated_at = $5 WHERE id = $1 AND state = ANY ($2)
    RETURNING ${announceWorkSql}`,
    [id, from, to, message ?? null, new Date(now)],
  );
  return rowCount === 1;
}

/** Records the progress. Returns false and changes nothing if the job is paused or over. `now`: Unix milliseconds. */
export async function recordJobProgress(
  database: Database,
  id: string,
  { step, done, total, rate, isVerifying = false }: JobProgress,
  now: number,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE recovery.job SET step = $2, done = $3, total = $4, rate = $5, updated_at = $6,
      state = CASE WHEN $8 THEN 'verifying' ELSE 'running' END
    WHERE id = $1 AND state = ANY ($7)`,
    [
      id,
      step,
      Math.round(done),
      total === null ? null : Math.round(total),
      rate,
      new Date(now),
      runnableStates,
      isVerifying,
    ],
  );
  return rowCount === 1;
}

/**
 * Records that the job succeeded. Returns false and changes nothing if the job is over already. Belongs in the
 * transaction that publishes the result: otherwise a crash could leave a job as unfinished whose result is published.
 */
export async function concludeJob(
  database: Database,
  id: string,
  message: string,
  { step, done, total, rate }: JobProgress,
  now: number,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE recovery.job SET state = 'published', message = $2, step = $3, done = $4, total = $4, rate = $5, updated_at = $6
    WHERE id = $1 AND state = ANY ($7)`,
    [id, message, step, Math.round(total ?? done), rate, new Date(now), [...runnableStates, 'paused']],
  );
  return rowCount === 1;
}

export async function recordJobIncarnation(
  database: Database,
  id: string,
  incarnation: string | undefined,
): Promise<void> {
  await database.query('UPDATE recovery.job SET incarnation = $2 WHERE id = $1', [id, incarnation ?? null]);
}
