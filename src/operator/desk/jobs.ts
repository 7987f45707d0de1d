import { createHash } from 'node:crypto';
import type { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { RecordJobChange } from '../../commands/network/records.js';
import { RecordReadModelOperation } from '../../commands/network/network.js';
import type { Clock } from '../../base/support/clock.js';
import type { IdGenerator } from '../../base/support/id-generator.js';
import type { EventMetadata } from '../../log/recorded.js';
import { findJob, moveJob, requestJob, findUnfinishedJob } from '../../../projections/jobs/job.js';
import type { Job, JobKind } from '../../../projections/jobs/job.js';
import { actingText } from './who.js';

export interface JobServices {
  readonly pool: Pool;
  readonly commands: CommandBus;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** `id`: of an approval, under which no second job begins. Undefined: a new one. */
export interface NewJob {
  readonly id?: string | undefined;
  readonly kind: JobKind;
  readonly names?: readonly string[];
  readonly reseedWitness?: boolean;
}

/**
 * Requests a job from the workers, or resumes the unfinished one of the same kind and names. A new job is recorded in
 * the log before it starts.
 */
export async function requestOrResumeJob(
  context: JobServices,
  { id: given, kind, names = [], reseedWitness = false }: NewJob,
  metadata: EventMetadata,
): Promise<Job> {
  const { pool, commands, clock, ids } = context;
  const unfinished = await findUnfinishedJob(pool, kind, names);
  if (unfinished) return resumeJob(unfinished, context, metadata);
  const id = given ?? ids.uuid();
  await commands.execute(new RecordReadModelOperation(operationOf(kind, id, names, reseedWitness), metadata));
  await requestJob(pool, {
    id,
    kind,
    names,
    reseedWitness,
    requestedBy: requesterOf(metadata),
    reason: metadata.reason,
    now: clock.now(),
  });
  const requested = await findJob(pool, id);
  if (!requested) throw new Error(`job ${id} was requested but is missing from the database`);
  return requested;
}

/** The id of the job that runs under an approval: a UUID of version 8 (RFC 9562, section 5.8) over it. */
export function jobIdOf(approvalId: string): string {
  const hex = createHash('sha256').update(approvalId).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export const requesterOf = (metadata: EventMetadata): string => actingText(metadata) ?? 'nobody';

/** Resumes the job if it is paused. Returns its current state. */
export async function resumeJob(
  job: Job,
  { pool, commands, clock }: JobServices,
  metadata: EventMetadata,
): Promise<Job> {
  if (job.state === 'paused') await commands.execute(new RecordJobChange('job.resumed', job.id, metadata));
  await moveJob(pool, job.id, ['paused'], 'requested', clock.now());
  return (await findJob(pool, job.id)) ?? job;
}

function operationOf(kind: JobKind, jobId: string, names: readonly string[], reseedsWitness: boolean) {
  switch (kind) {
    case 'rebuild':
      return { type: 'network.rebuild_requested', data: { jobId, names } } as const;
    case 'recover':
      return { type: 'network.recovery_applied', data: { jobId, reseedsWitness } } as const;
    case 'rollback':
      return { type: 'network.recovery_rolled_back', data: { jobId } } as const;
  }
}
